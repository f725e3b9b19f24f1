// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "chebyshev_passes.hpp"
#include "monitor.hpp"

namespace heddle {

/// Where the eigenvalues of M A lie, all of them positive.
struct SpectrumBounds {
  double lower = 0;
  double upper = 0;
};

namespace detail::krylov {

inline void check_bounds(const SpectrumBounds& bounds) {
  if (!(bounds.lower > 0) || !(bounds.upper >= bounds.lower) || !std::isfinite(bounds.upper)) {
    throw Error("bounds of a spectrum from " + std::to_string(bounds.lower) + " to " +
                    std::to_string(bounds.upper),
                "give two positive numbers, the lower one first");
  }
}

}  // namespace detail::krylov

/// Chebyshev's iteration: solves A x = b where the eigenvalues of M A lie between two positive
/// bounds, A and M symmetric. It needs no dots, and so no sum is waited for between products; where
/// bounds are known (a smoother, a mass matrix) it does what CG does. Where an eigenvalue lies
/// above the upper bound it diverges, which the result says.
///
/// Made once for a size, with all memory: bytes(). It moves, and does not copy. solve allocates
/// nothing. The residual's norm is computed every options.check_every iterations (with 0: at the
/// end), when the host checks, and with options.history in every one. b - A x, scaling and sums are
/// as CgSolver says. A step is the product and one launch, and moves what the product does and
/// 7 n b bytes, 8 n b with JacobiPreconditioner; with another preconditioner 10 n b and its own, in
/// two launches.
///
/// Source: Y. Saad, Iterative Methods for Sparse Linear Systems (2003), algorithm 12.1.
template <ExecutionSpace Exec, Scalar S>
class ChebyshevSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Real = RealOf<S>;

  /// For systems of `rows` unknowns. Throws Error if bounds or options make no sense.
  ChebyshevSolver(const Exec& exec, std::int64_t rows, const SpectrumBounds& bounds,
                  const KrylovOptions& options = {});

  /// Solves A x = b from what is in x (or from zero: options.zero_guess). b and x are of rank 1 and
  /// do not overlap. Waits for `exec` every options.check_every iterations; with 0 never: then
  /// `outcome` is running whatever happens, and result(exec) waits and tells. Throws Error if sizes
  /// do not fit, or M says that it is not symmetric.
  template <class A, VectorView B, WritableVectorView X>
  KrylovResult solve(const Exec& exec, A& matrix, const B& b, const X& x) {
    NoPreconditioner none;
    return solve(exec, matrix, b, x, none);
  }
  template <class A, VectorView B, WritableVectorView X, class M>
  KrylovResult solve(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner) {
    static_assert(LinearOperator<A, Exec, S>, "A has no apply(exec, x, y), rows() and columns()");
    static_assert(std::same_as<M, NoPreconditioner> || Preconditioner<M, Exec, S>,
                  "M has no apply(exec, b, x)");
    static_assert(B::rank() == 1 && X::rank() == 1, "Chebyshev takes one right-hand side");
    detail::vectors::assert_defined<Exec, S, S>();
    only_moves_.check("ChebyshevSolver", "solve");
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    const auto solution = detail::vectors::to_write(x);
    monitor_.check_system(rows_, matrix.rows(), matrix.columns(), right, solution);
    krylov::check_symmetric(preconditioner, "Chebyshev's iteration needs");
    monitor_.clear();
    best_.clear();
    krylov::take_guess<Exec, S>(exec, matrix, x, monitor_.options().zero_guess, x_, q_);
    residual_passes().template judge<true>(exec, workspace_, right, Due::all);
    go_on(exec);
    krylov::ChebyshevNumbers numbers(bounds_.lower, bounds_.upper);
    direction(exec, preconditioner, 0, numbers.first());
    const auto judge = [&](Due due) {
      matrix.apply(exec, Const(column(x_)), column(q_));
      residual_passes().template judge<false>(exec, workspace_, right, due);
    };
    const bool every_norm = monitor_.options().history;
    const auto blocks = [&](int first, int stop) {
      int since = 0;  // products, the last norm
      for (int step = first; step < stop; ++step) {
        ++since;
        const bool norm = every_norm || step + 1 == stop;
        iterate(exec, matrix, preconditioner, numbers, norm ? std::exchange(since, 0) : 0);
      }
    };
    const auto recompute = [&] {
      judge(Due::running);
      go_on(exec);
    };
    monitor_.run(
        exec, 1,
        krylov::Iteration{[&](int first, int stop) {
                            krylov::with_recomputed(first, stop, monitor_.options().recompute_every,
                                                    blocks, recompute);
                          },
                          judge, [&] { go_on(exec); },
                          [&](const auto& progress) { best_.keep(exec, progress, x_); },
                          [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
    residual_passes().give(exec, solution);
    return result();
  }

  /// As of the last check; with `exec`, waits and checks.
  const KrylovResult& result() const { return monitor_.results()[0]; }
  const KrylovResult& result(const Exec& exec) {
    monitor_.check(exec);
    return result();
  }
  /// The norms of all residuals, with options.history, of every iteration one; waits.
  std::vector<double> history(const Exec& exec) { return monitor_.history(exec, 0); }
  std::size_t bytes() const {
    return arena_.bytes() + workspace_.bytes() + monitor_.bytes() + best_.bytes();
  }
  /// Bytes that a step moves, the preconditioner's own not counted.
  template <class A, class M = NoPreconditioner>
  double moved_bytes(const A& matrix, const M& = {}) const {
    constexpr auto how = detail::krylov::how_with<M>();
    const double passes = how == How::not_at_all ? 7 : how == How::by_diagonal ? 8 : 10;
    return detail::krylov::bytes_of_product(matrix, 1) +
           passes * static_cast<double>(rows_) * sizeof(S);
  }

 private:
  using Space = typename Exec::memory_space;
  using Sum = detail::krylov::Wide<S>;
  using State = detail::krylov::Progress;
  using Vector = SolverVector<Exec, S>;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;  // of one column
  using Const = ConstSolverVector<Exec, S>;
  using Monitor = detail::krylov::Monitor<Exec, S, State>;
  using ResidualPasses = detail::krylov::ResidualPasses<Exec, S, State>;
  using Due = detail::krylov::Due;
  using How = detail::krylov::Preconditioned;

  static Multivector<S> write(const Vectors& v) { return multivector_of<S>(v); }
  static Multivector<const S> read(const Vectors& v) { return multivector_of<const S>(v); }
  static Vector column(const Vectors& v) { return detail::krylov::column<Exec, S>(v, 0); }

  /// Coefficients come from the bounds alone, so the iteration never begins anew.
  ResidualPasses residual_passes() const {
    return {{"heddle::chebyshev::true_residual", "heddle::chebyshev::scale_residual",
             "heddle::chebyshev::solution"},
            write(x_),
            write(r_),
            write(q_),
            monitor_.states(),
            monitor_.limits(),
            1,
            false};
  }
  /// From b - A x.
  void go_on(const Exec& exec);
  template <class M>
  auto residuals(M& preconditioner) const {
    return detail::krylov::residuals_with<S>(preconditioner, read(z_), rows_);
  }

  template <class M>
  void direction(const Exec& exec, M& preconditioner, double old, double fresh) {
    constexpr How how = detail::krylov::how_with<M>();
    if constexpr (how == How::by_operator)
      preconditioner.apply(exec, Const(column(r_)), column(z_));
    detail::vectors::stream(
        exec, "heddle::chebyshev::direction", rows_, 1, true,
        detail::krylov::ChebyshevDirection<S, how>{
            {}, read(r_), write(d_), residuals(preconditioner), old, fresh, monitor_.states()});
  }

  /// products: since the last norm, or 0 for a step without one.
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner,
               detail::krylov::ChebyshevNumbers& numbers, int products) {
    constexpr How how = detail::krylov::how_with<M>();
    matrix.apply(exec, Const(column(d_)), column(q_));
    const auto [old, fresh] = numbers.next();
    const auto step = [&, old = old, fresh = fresh]<bool norm>() {
      return detail::krylov::ChebyshevStep<S, how, norm>{
          write(x_), write(r_), write(d_),         read(q_),          residuals(preconditioner),
          old,       fresh,     monitor_.states(), monitor_.limits(), products};
    };
    if (products > 0) {
      detail::vectors::stream(exec, "heddle::chebyshev::step", rows_, 1, true,
                              step.template operator()<true>(), workspace_.partials(1));
    } else {
      detail::vectors::stream(exec, "heddle::chebyshev::step", rows_, 1, true,
                              step.template operator()<false>());
    }
    if constexpr (how == How::by_operator) direction(exec, preconditioner, old, fresh);
  }

  std::int64_t rows_;
  SpectrumBounds bounds_;
  Monitor monitor_;
  VectorWorkspace<Exec, Sum> workspace_;
  detail::krylov::BestSolution<Exec, S> best_;
  Arena<Space> arena_;
  Vectors x_, r_, d_, q_, z_;
  detail::MoveOnly only_moves_;
};

}  // namespace heddle
