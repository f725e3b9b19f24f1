// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "../bench/solve/problem.hpp"
#include "cuda_graph.hpp"
#include "cusparse_system.hpp"

namespace heddle::bench::cusparse {

/// Where the numbers of an iteration lie; norms begin at the last.
struct CgNumbers {
  enum { one, rho, before, pq, alpha, less_alpha, beta, norms, count = norms };
};

template <Scalar S>
struct CgBeta {
  Kokkos::View<S*, Space> n;
  KOKKOS_FUNCTION void operator()(int) const {
    n(CgNumbers::beta) = n(CgNumbers::rho) / n(CgNumbers::before);
    n(CgNumbers::before) = n(CgNumbers::rho);
  }
};
template <Scalar S>
struct CgAlpha {
  Kokkos::View<S*, Space> n;
  KOKKOS_FUNCTION void operator()(int) const {
    n(CgNumbers::alpha) = n(CgNumbers::rho) / n(CgNumbers::pq);
    n(CgNumbers::less_alpha) = -n(CgNumbers::alpha);
  }
};

/// Conjugate gradients (M. Hestenes, E. Stiefel, 1952) over cuSPARSE and cuBLAS whose numbers stay
/// on the device: a graph of some iterations, after which the host looks at the residuals.
template <Scalar S, Offset Off>
class GraphCg : public SolveContestant<S> {
 public:
  GraphCg(const Exec& exec, const SolveProblem<S, Off>& problem, With with)
      : problem_(problem),
        system_(exec, problem, with),
        blas_(exec, problem.x.extent(0), cublas::Numbers::on_device),
        numbers_("heddle::bench::numbers", Numbers::count + checked) {
    if (problem.request.method() != Method::cg) {
      throw Error("the recorded loop is that of conjugate gradients", "use --method cg");
    }
    const auto vector = [&] {
      return allocate<S>(exec, "heddle::bench::loop",
                         static_cast<std::int64_t>(problem.x.extent(0)));
    };
    r_ = vector();
    z_ = system_.preconditions() ? vector() : r_;
    p_ = vector();
    q_ = vector();
    const auto on_host = Kokkos::create_mirror_view(numbers_);
    on_host(Numbers::one) = S(1);
    Kokkos::deep_copy(exec, numbers_, on_host);
    exec.fence("heddle::bench::numbers");
  }

  bool updates() const override { return system_.preconditions(); }
  void update_values(const Exec&) override { system_.update_values(); }
  std::size_t bytes() const override { return system_.bytes() + 4 * r_.span() * sizeof(S); }
  std::string note() const override {
    return "a graph of " + std::to_string(checked) + " iterations";
  }

 private:
  using Numbers = CgNumbers;
  static constexpr int checked = 10;  ///< iterations of a graph

  Solved solve(const Exec& exec) override {
    begin(exec);
    blas_.dot(r_, r_, number(Numbers::norms));
    const double first = squares(exec)[0];
    if (!graph_.recorded()) {
      iterate(exec, 0);  // the first calls may allocate, which no graph records
      begin(exec);
      exec.fence("heddle::bench::begin");
      graph_.record(exec, [&] {
        for (int i = 0; i < checked; ++i) iterate(exec, i);
      });
    }
    const double enough = problem_.request.limits.tolerance * std::sqrt(first);
    for (int done = 0; done < problem_.request.limits.max_iterations; done += checked) {
      graph_.launch(exec);
      const auto norms = squares(exec);
      for (int i = 0; i < checked; ++i) {
        const double norm = std::sqrt(norms[static_cast<std::size_t>(i)]);
        if (norm <= enough) return {true, done + checked};
        if (!std::isfinite(norm)) return {false, done + i, "broke down"};
      }
    }
    return {false, problem_.request.limits.max_iterations, "all iterations used up"};
  }

  void begin(const Exec& exec) const {
    Kokkos::deep_copy(exec, problem_.x, S(0));
    Kokkos::deep_copy(exec, r_, problem_.b);
    Kokkos::deep_copy(exec, p_, S(0));
    Kokkos::deep_copy(exec, Kokkos::subview(numbers_, static_cast<int>(Numbers::before)), S(1));
  }

  /// z = M r, rho = r . z, p = z + rho / before p, q = A p, x += alpha p, r -= alpha q.
  void iterate(const Exec& exec, int i) {
    if (system_.preconditions()) system_.precondition(r_, z_);
    blas_.dot(r_, z_, number(Numbers::rho));
    Kokkos::parallel_for("heddle::bench::beta", one(exec), CgBeta<S>{numbers_});
    blas_.axpby(number(Numbers::one), z_, number(Numbers::beta), p_);
    system_.product(p_, q_);
    blas_.dot(p_, q_, number(Numbers::pq));
    Kokkos::parallel_for("heddle::bench::alpha", one(exec), CgAlpha<S>{numbers_});
    blas_.axpy(number(Numbers::alpha), p_, problem_.x);
    blas_.axpy(number(Numbers::less_alpha), q_, r_);
    blas_.dot(r_, r_, number(Numbers::norms + i));
  }

  static Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>> one(const Exec& exec) {
    return {exec, 0, 1};
  }

  S* number(int which) const { return numbers_.data() + which; }
  /// The squares of the residuals of a graph. Waits.
  std::array<double, checked> squares(const Exec& exec) const {
    std::array<S, checked> copied;
    cudaMemcpyAsync(copied.data(), number(Numbers::norms), sizeof copied, cudaMemcpyDeviceToHost,
                    exec.cuda_stream());
    exec.fence("heddle::bench::norms");
    std::array<double, checked> of;
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i] = static_cast<double>(Kokkos::abs(copied[i]));
    }
    return of;
  }

  SolveProblem<S, Off> problem_;
  System<S> system_;
  cublas::Vectors<S> blas_;
  Kokkos::View<S*, Space> numbers_, r_, z_, p_, q_;
  CudaGraph graph_;
};

}  // namespace heddle::bench::cusparse
