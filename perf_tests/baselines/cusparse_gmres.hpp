// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "cusparse_graph.hpp"

namespace heddle::bench::cusparse {

/// Indices of the scalars of a cycle of m iterations.
struct GmresNumbers {
  enum { square = GraphNumbers::count, inverse, first };
  int m;

  KOKKOS_FUNCTION int turned(int i) const { return first + i; }
  KOKKOS_FUNCTION int estimate(int j) const { return first + m + 1 + j; }
  KOKKOS_FUNCTION int cosine(int j) const { return first + 2 * m + 1 + j; }
  KOKKOS_FUNCTION int sine(int j) const { return first + 3 * m + 1 + j; }
  KOKKOS_FUNCTION int h(int i, int j) const { return first + 4 * m + 1 + i + j * (m + 1); }
  int count() const { return h(0, m); }
};

template <Scalar S>
struct GmresBegin {
  GmresNumbers at;
  Kokkos::View<S*, Space> n;
  KOKKOS_FUNCTION void operator()(int) const {
    const RealOf<S> length = Kokkos::sqrt(Kokkos::abs(n(at.square)));
    n(at.inverse) = quotient(S(1), S(length));
    n(at.turned(0)) = S(length);
  }
};

/// Applies the earlier Givens rotations to column j of the triangle, and computes one more.
template <Scalar S>
struct GmresTurn {
  using Real = RealOf<S>;
  GmresNumbers at;
  Kokkos::View<S*, Space> n;
  int j;

  KOKKOS_FUNCTION void operator()(int) const {
    const Real before = Kokkos::abs(n(at.turned(j)));
    if (before * before <= Kokkos::abs(n(GraphNumbers::enough))) return stay();
    const Real length = Kokkos::sqrt(Kokkos::abs(n(at.square)));
    S above = n(at.h(0, j));
    constexpr int together = 8;  // independent loads
    for (int first = 0; first < j; first += together) {
      const int here = j - first < together ? j - first : together;
      S below[together], c[together], s[together];
      for (int i = 0; i < here; ++i) {
        below[i] = n(at.h(first + i + 1, j));
        c[i] = n(at.cosine(first + i));
        s[i] = n(at.sine(first + i));
      }
      for (int i = 0; i < here; ++i) {
        n(at.h(first + i, j)) = c[i] * above + s[i] * below[i];
        above = c[i] * below[i] - conjugate(s[i]) * above;
      }
    }
    const Real a = Kokkos::abs(above), both = Kokkos::sqrt(a * a + length * length);
    const S c = S(both > 0 ? a / both : Real(1));
    const S s = a > 0 ? above / a * (length / both) : S(1);
    n(at.h(j, j)) = a > 0 ? above / a * both : S(length);
    n(at.cosine(j)) = c;
    n(at.sine(j)) = s;
    n(at.turned(j + 1)) = -conjugate(s) * n(at.turned(j));
    n(at.turned(j)) = c * n(at.turned(j));
    n(at.estimate(j)) = n(at.turned(j + 1));
    n(at.inverse) = quotient(S(1), S(length));
  }
  /// Called once the tolerance is reached: this vector then contributes nothing.
  KOKKOS_FUNCTION void stay() const {
    for (int i = 0; i < j; ++i) n(at.h(i, j)) = S(0);
    n(at.h(j, j)) = S(1);
    n(at.estimate(j)) = n(at.turned(j));
    n(at.turned(j)) = n(at.turned(j + 1)) = S(0);
    n(at.inverse) = S(0);
  }
};

/// GMRES(m) with M on the right (Y. Saad, M. Schultz, 1986) and one pass of classical Gram-Schmidt:
/// graphs of some steps each, and for each of them a graph that ends a cycle after it.
template <Scalar S, Offset Off>
class GraphGmres : public GraphSolve<S, Off> {
  using Base = GraphSolve<S, Off>;
  using Vector = typename Base::Vector;
  using Base::problem_, Base::system_, Base::blas_, Base::numbers_, Base::number;

 public:
  GraphGmres(const Exec& exec, const SolveProblem<S, Off>& problem, With with)
      : Base(exec, problem, with, GmresNumbers{problem.request.restart}.count()),
        at_{problem.request.restart},
        graphs_((static_cast<std::size_t>(at_.m) + checked - 1) / checked) {
    basis_ = this->vector(exec, at_.m + 1);
    r_ = this->vector(exec);
    w_ = this->vector(exec);
    z_ = system_.preconditions() ? this->vector(exec) : w_;
  }

  std::string note() const override {
    return "graphs of " + std::to_string(checked) + " steps, and of the end of a cycle";
  }

 private:
  static constexpr int checked = 10;  ///< steps per graph
  struct Graphs {
    CudaGraph steps, end;
  };

  Solved solve(const Exec& exec) override {
    double enough = Base::begin(exec, r_, GmresNumbers::square);
    if (!graphs_.front().end.recorded()) {
      for (int j = 0; j < at_.m; ++j) step_to(exec, j);  // the first calls may allocate
      end(exec, at_.m);
      exec.fence("heddle::bench::begin");
      for (int part = 0; part < parts(); ++part) record(exec, part);
      enough = Base::begin(exec, r_, GmresNumbers::square);
    }
    const int most = problem_.request.limits.max_iterations;
    int done = 0;
    for (double square = 2 * enough + 1; square > enough;) {
      if (done >= most) return {false, done, "all iterations used up"};
      for (int part = 0, steps = 0; part < parts(); ++part) {
        graphs_[static_cast<std::size_t>(part)].steps.launch(exec);
        bool small = false;
        for (const double estimate : this->look(exec, at_.estimate(steps), last(part) - steps)) {
          if (!std::isfinite(estimate)) return {false, done, "broke down"};
          ++steps;
          ++done;
          small = estimate * estimate <= enough;
          if (small) break;
        }
        if (!small && part + 1 < parts() && done < most) continue;
        graphs_[static_cast<std::size_t>(part)].end.launch(exec);
        square = this->look(exec, GmresNumbers::square, 1)[0];
        break;
      }
    }
    return {true, done};
  }

  int parts() const { return static_cast<int>(graphs_.size()); }
  /// The step after the last one of a part.
  int last(int part) const { return std::min((part + 1) * checked, at_.m); }
  void record(const Exec& exec, int part) {
    Graphs& graphs = graphs_[static_cast<std::size_t>(part)];
    graphs.steps.record(exec, [&] {
      for (int j = part * checked; j < last(part); ++j) step_to(exec, j);
    });
    graphs.end.record(exec, [&] { end(exec, last(part)); });
  }

  Vector column(int j) const {
    const auto rows = r_.extent(0), first = static_cast<std::size_t>(j) * rows;
    return Kokkos::subview(basis_, std::pair(first, first + rows));
  }
  int stride() const { return static_cast<int>(r_.extent(0)); }

  /// r = A M v for basis vector j, orthogonalized against the basis; normalized it is vector j + 1.
  void step_to(const Exec& exec, int j) const {
    if (j == 0) {
      this->step(exec, "heddle::bench::begin_cycle", GmresBegin<S>{at_, numbers_});
      next(r_, 0);
    }
    if (system_.preconditions()) system_.precondition(column(j), z_);
    system_.product(system_.preconditions() ? z_ : column(j), r_);
    system_.blas().project(basis_, stride(), j + 1, r_, number(at_.h(0, j)));
    blas_.dot(r_, r_, number(GmresNumbers::square));
    this->step(exec, "heddle::bench::turn", GmresTurn<S>{at_, numbers_, j});
    next(r_, j + 1);
  }
  void next(const Vector& from, int j) const {
    blas_.axpby(number(GmresNumbers::inverse), from, number(GraphNumbers::zero), column(j));
  }
  /// x += M V y for the y of the first `count` vectors, then r = b - A x and its squared norm.
  void end(const Exec& exec, int count) const {
    S* const y = number(at_.turned(0));
    blas_.solve_upper(number(at_.h(0, 0)), at_.m + 1, count, y);
    system_.blas().combine(basis_, stride(), count, y, w_);
    if (system_.preconditions()) system_.precondition(w_, z_);
    blas_.axpy(number(GraphNumbers::one), z_, problem_.x);
    system_.product(problem_.x, w_);
    Kokkos::deep_copy(exec, r_, problem_.b);
    blas_.axpy(number(GraphNumbers::less_one), w_, r_);
    blas_.dot(r_, r_, number(GmresNumbers::square));
  }

  GmresNumbers at_;
  Vector basis_, r_, w_, z_;
  std::vector<Graphs> graphs_;
};

}  // namespace heddle::bench::cusparse
