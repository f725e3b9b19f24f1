// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <vector>

#include "../bench/solve/problem.hpp"
#include "cuda_graph.hpp"
#include "cusparse_system.hpp"

namespace heddle::bench::cusparse {

/// The first scalars of every recorded method, on the device.
struct GraphNumbers {
  enum { one, less_one, zero, enough, count };
};

/// a / b, or 0 if b is 0.
template <Scalar S>
KOKKOS_FUNCTION S quotient(const S& a, const S& b) {
  return b == S(0) ? S(0) : a / b;
}

/// The scalar `to` = over / under, and `to` + 1 = its negative. Both are 0 once the residual, whose
/// squared norm is given, is small enough.
template <Scalar S>
struct StepLength {
  Kokkos::View<S*, Space> n;
  const S* square;
  int to, over, under;

  KOKKOS_FUNCTION void operator()(int) const {
    const bool done = Kokkos::abs(*square) <= Kokkos::abs(n(GraphNumbers::enough));
    n(to) = done ? S(0) : quotient(n(over), n(under));
    n(to + 1) = -n(to);
  }
};

/// Base of Krylov methods over cuSPARSE and cuBLAS whose scalars stay on the device: graphs of some
/// iterations, after which the host checks residuals. Iterations of a graph that follow convergence
/// must leave x unchanged.
template <Scalar S, Offset Off>
class GraphSolve : public SolveContestant<S> {
 public:
  bool updates() const override { return system_.preconditions(); }
  void update_values(const Exec&) override { system_.update_values(); }
  std::size_t bytes() const override { return system_.bytes() + bytes_; }

 protected:
  using Vector = Kokkos::View<S*, Space>;

  GraphSolve(const Exec& exec, const SolveProblem<S, Off>& problem, With with, int numbers)
      : problem_(problem),
        system_(exec, problem, with),
        blas_(exec, problem.x.extent(0), cublas::Numbers::on_device),
        numbers_("heddle::bench::numbers", static_cast<std::size_t>(numbers)) {
    const auto on_host = Kokkos::create_mirror_view(numbers_);
    on_host(GraphNumbers::one) = S(1);
    on_host(GraphNumbers::less_one) = S(-1);
    Kokkos::deep_copy(exec, numbers_, on_host);
    exec.fence("heddle::bench::numbers");
  }

  /// A vector of `columns` columns, all zero.
  Vector vector(const Exec& exec, std::int64_t columns = 1) {
    const std::int64_t size = columns * static_cast<std::int64_t>(problem_.x.extent(0));
    const Vector made = allocate<S>(exec, "heddle::bench::loop", size);
    Kokkos::deep_copy(exec, made, S(0));
    bytes_ += made.span() * sizeof(S);
    return made;
  }
  S* number(int which) const { return numbers_.data() + which; }
  void set(const Exec& exec, int which, S value) const {
    Kokkos::deep_copy(exec, Kokkos::subview(numbers_, which), value);
  }
  /// Magnitudes of `count` scalars from `first` on. Waits.
  std::vector<double> look(const Exec& exec, int first, int count) const {
    std::vector<S> copied(static_cast<std::size_t>(count));
    cudaMemcpyAsync(copied.data(), number(first), copied.size() * sizeof(S), cudaMemcpyDeviceToHost,
                    exec.cuda_stream());
    exec.fence("heddle::bench::look");
    std::vector<double> of;
    for (const S& value : copied) of.push_back(static_cast<double>(Kokkos::abs(value)));
    return of;
  }
  /// x = 0, r = b, and `square` = its squared norm. Stores and returns the one that ends the solve.
  double begin(const Exec& exec, const Vector& r, int square) const {
    Kokkos::deep_copy(exec, problem_.x, S(0));
    Kokkos::deep_copy(exec, r, problem_.b);
    blas_.dot(r, r, number(square));
    const double tolerance = problem_.request.limits.tolerance;
    const double enough = tolerance * tolerance * look(exec, square, 1)[0];
    set(exec, GraphNumbers::enough, S(enough));
    return enough;
  }
  /// Launches a kernel of one thread.
  template <class Step>
  static void step(const Exec& exec, const char* label, const Step& body) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, 1),
                         body);
  }

  SolveProblem<S, Off> problem_;
  System<S> system_;
  cublas::Vectors<S> blas_;
  Kokkos::View<S*, Space> numbers_;

 private:
  std::size_t bytes_ = 0;
};

/// Base of methods whose iterations are all alike: Recurrence has begin(exec) and iterate(exec, i),
/// which writes the residual's squared norm to the scalar `norms + i`.
template <class Recurrence, Scalar S, Offset Off>
class GraphIterations : public GraphSolve<S, Off> {
 public:
  std::string note() const override {
    return "a graph of " + std::to_string(checked) + " iterations";
  }

 protected:
  using Base = GraphSolve<S, Off>;
  static constexpr int checked = 10;  ///< iterations per graph

  GraphIterations(const Exec& exec, const SolveProblem<S, Off>& problem, With with, int norms,
                  int products)
      : Base(exec, problem, with, norms + checked), norms_(norms), products_(products) {
    r_ = this->vector(exec);
  }

  /// Squared norm of the residual before iteration i, and after it.
  S* before(int i) const { return this->number(norms_ + (i + checked - 1) % checked); }
  S* after(int i) const { return this->number(norms_ + i); }

  typename Base::Vector r_;

 private:
  Solved solve(const Exec& exec) override {
    auto& method = static_cast<Recurrence&>(*this);
    const int last = norms_ + checked - 1;
    const double enough = Base::begin(exec, r_, last);
    method.begin(exec);
    if (!graph_.recorded()) {
      method.iterate(exec, 0);  // the first calls may allocate, which no graph records
      Base::begin(exec, r_, last);
      method.begin(exec);
      exec.fence("heddle::bench::begin");
      graph_.record(exec, [&] {
        for (int i = 0; i < checked; ++i) method.iterate(exec, i);
      });
    }
    const int most = this->problem_.request.limits.max_iterations;
    for (int done = 0; done < most; done += products_ * checked) {
      graph_.launch(exec);
      const auto squares = this->look(exec, norms_, checked);
      for (int i = 0; i < checked; ++i) {
        const double square = squares[static_cast<std::size_t>(i)];
        if (square <= enough) return {true, done + products_ * (i + 1)};
        if (!std::isfinite(square)) return {false, done + products_ * i, "broke down"};
      }
    }
    return {false, most, "all iterations used up"};
  }

  int norms_, products_;
  CudaGraph graph_;
};

}  // namespace heddle::bench::cusparse
