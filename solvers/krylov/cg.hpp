// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "block_graph.hpp"
#include "cg_names.hpp"
#include "cg_passes.hpp"
#include "cg_problem.hpp"
#include "monitor.hpp"

namespace heddle {

/// Conjugate gradients: solves A x = b for a symmetric (Hermitian) positive definite A, with a
/// preconditioner M that is so too, and for several right-hand sides side by side, each with an
/// iteration of its own.
///
/// Made once for a size, with all memory: bytes(). It moves, and does not copy. solve allocates
/// nothing. The numbers of an iteration stay on the device, and once a right-hand side has ended
/// nothing of it changes any more, so the host checks only every options.check_every iterations; a
/// block of so many (or of options.recompute_every) runs as one graph on CUDA and HIP, if A and M
/// are capturable(). One solver solves one system at a time. The same bits on every run, if A and M
/// give the same bits.
///
/// Where the recurrence meets the tolerance, b - A x is computed from x, and is what counts: one
/// product a solve. While it misses the tolerance and halves each time, the iteration goes on from
/// there. r and p are scaled by powers of two, and sums are kept in double for float, so that
/// neither b of 1e-30 nor one of 1e30 is any different from one of 1.
///
/// An iteration is three launches: the product with p.q; r and its norm; x and p together. With n
/// rows of b bytes it moves the matrix and 10 n b bytes, 12 n b with JacobiPreconditioner, whose z
/// is never stored; another preconditioner: 12 n b and its own. Where p.q does not come with the
/// product (SpmvPlan::has_dot; several right-hand sides; float, whose plans add up in float) it is
/// a launch more and 2 n b bytes. When the host checks, 2 n b bytes more keep the best x.
///
/// Small systems are solved in one launch, where A has csr() (with_rows puts the matrix beside a
/// plan), M is none or JacobiPreconditioner, and there is one right-hand side: by one team
/// (cg/one-team) or, where the device has clusters, one cluster of teams (cg/one-cluster), into
/// whose scratch the vectors fit on a GPU. Chosen by size, or pinned by options.scheme; scheme()
/// says what ran. One more, which is never chosen, takes systems of any size: cg/all-teams, by all
/// teams that the device runs at once. The schemes add up in different orders.
///
/// Source: M. Hestenes and E. Stiefel (1952); for b - A x that replaces the recurrence H. van der
/// Vorst and Q. Ye (2000).
template <ExecutionSpace Exec, Scalar S>
class CgSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Real = RealOf<S>;

  /// For systems of `rows` unknowns and `count` right-hand sides at a time. Throws Error if options
  /// make no sense.
  CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {}, int count = 1);

  /// Solves A x = b from what is in x (or from zero: options.zero_guess). b and x are of rank 1, or
  /// of rank 2 with a column for each right-hand side, in any layout, and do not overlap. Returns
  /// the result of the right-hand side that fared worst; results() has all.
  ///
  /// Waits for `exec` every options.check_every iterations; with 0 never: then `outcome` is running
  /// whatever happens, and results(exec) waits and tells. Throws Error if sizes do not fit, or M
  /// says that it is not symmetric, or a scheme is pinned that does not take the system.
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
    detail::vectors::assert_defined<Exec, S, S>();
    only_moves_.check("CgSolver", "solve");
    constexpr How how = detail::krylov::how_with<M>();
    detail::krylov::check_symmetric(preconditioner, "conjugate gradients need");
    const auto with = detail::krylov::residuals_with<S>(preconditioner, read(z_), rows_);
    return solve_with<how>(exec, matrix, b, x, preconditioner, with.z);
  }

  /// Of every right-hand side, as of the last check; with `exec`, waits and checks.
  std::span<const KrylovResult> results() const { return monitor_.results(); }
  std::span<const KrylovResult> results(const Exec& exec) {
    monitor_.check(exec);
    return results();
  }
  /// The norms of all residuals of a right-hand side, with options.history, the first one's and
  /// that of the end among them; waits.
  std::vector<double> history(const Exec& exec, int vector = 0) {
    return monitor_.history(exec, vector);
  }

  /// What the last solve ran by.
  const Scheme& scheme() const { return scheme_; }
  /// Blocks of iterations, of all solves so far, that ran as a recorded graph.
  int replays() const { return blocks_.replays(); }
  std::size_t bytes() const {
    return arena_.bytes() + workspace_.bytes() + monitor_.bytes() + best_.bytes();
  }
  /// Bytes that an iteration moves, the preconditioner's own not counted.
  template <class A, class M = NoPreconditioner>
  double moved_bytes(const A& matrix, const M& = {}) const {
    const double entries = static_cast<double>(rows_) * count_ * sizeof(S);
    const bool with_dot = count_ == 1 && takes_dot<A> && detail::krylov::has_dot(matrix);
    const double passes = (std::same_as<M, NoPreconditioner> ? 10 : 12) - (with_dot ? 2 : 0);
    return detail::krylov::bytes_of_product(matrix, count_) + passes * entries;
  }

 private:
  using Space = typename Exec::memory_space;
  using Sum = detail::krylov::Wide<S>;
  using State = detail::krylov::CgState;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;
  using Monitor = detail::krylov::Monitor<Exec, S, State>;
  using ResidualPasses = detail::krylov::ResidualPasses<Exec, S, State>;
  using Due = detail::krylov::Due;
  using How = detail::krylov::Preconditioned;
  using Const = Multivector<const S>;
  template <class A>
  static constexpr bool takes_dot = detail::krylov::AppliesDot<A, Exec, S>;

  template <How how, class A, class B, class X, class M>
  KrylovResult solve_with(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner,
                          const Const& z) {
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    const auto solution = detail::vectors::to_write(x);
    monitor_.check_system(rows_, matrix.rows(), matrix.columns(), right, solution);
    monitor_.clear();
    best_.clear();
    if constexpr (krylov::HasRows<A> && how != How::by_operator) {
      const auto rows = matrix.csr();
      if (const auto scheme = rows ? in_one_launch(*rows) : std::nullopt) {
        scheme_ = *scheme;
        solve_in_one_launch<how>(exec, *rows, right, solution, z);
        return monitor_.worst();
      }
    }
    scheme_ = krylov::cg_launches();
    check_pinned();
    krylov::take_guess<Exec, S>(exec, matrix, x, monitor_.options().zero_guess, x_, q_);
    residual_passes().template judge<true>(exec, workspace_, right, Due::all);
    restart<how>(exec, preconditioner, z);
    const auto versions = krylov::versions_to_record(matrix, preconditioner);
    const auto judge = [&](Due due) {
      krylov::apply<Exec, S>(exec, matrix, x_, q_);
      residual_passes().template judge<false>(exec, workspace_, right, due);
    };
    const auto blocks = [&](int first, int stop) {
      blocks_.run(exec, versions, first, stop, [&](int begin, int end) {
        for (int step = begin; step < end; ++step) iterate<how>(exec, matrix, preconditioner, z);
      });
    };
    const auto recompute = [&] {
      judge(Due::running);
      restart<how>(exec, preconditioner, z);
    };
    monitor_.run(
        exec, 1,
        krylov::Iteration{[&](int first, int stop) {
                            krylov::with_recomputed(first, stop, monitor_.options().recompute_every,
                                                    blocks, recompute);
                          },
                          judge, [&] { restart<how>(exec, preconditioner, z); },
                          [&](const auto& progress) { best_.keep(exec, progress, x_); },
                          [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
    residual_passes().give(exec, solution);
    return monitor_.worst();
  }

  ResidualPasses residual_passes() const {
    return {{"heddle::cg::true_residual", "heddle::cg::scale_residual", "heddle::cg::solution"},
            whole(x_),
            whole(r_),
            whole(q_),
            monitor_.states(),
            monitor_.limits(),
            State::cost};
  }

  /// Which scheme, if any, solves in one launch what `matrix` and z say.
  template <class Matrix>
  std::optional<Scheme> in_one_launch(const Matrix& matrix) const {
    if (count_ != 1) return std::nullopt;
    return detail::krylov::cg_in_one_launch<Exec, S>(device_, monitor_.options().scheme, rows_,
                                                     static_cast<std::int64_t>(matrix.nonzeros()));
  }

  /// Throws Error if another scheme is pinned than the one that takes the system.
  void check_pinned() const;

  /// A launch for each block of iterations; the first begins, and is one of its own where the host
  /// checks before any iteration.
  template <How how, class Matrix>
  void solve_in_one_launch(const Exec& exec, const Matrix& matrix, const Const& b,
                           const Multivector<S>& x, const Const& z) {
    const auto& options = monitor_.options();
    const detail::krylov::CgVectors<S*> vectors{x_.data(), r_.data(), p_.data(), q_.data()};
    const auto launch = [&](int stop, bool begins, bool ends) {
      const detail::krylov::CgProblem<S, Matrix> problem{matrix.row_ptr().data(),
                                                         matrix.col_idx().data(),
                                                         matrix.values().data(),
                                                         rows_,
                                                         b,
                                                         z,
                                                         x,
                                                         monitor_.states(),
                                                         monitor_.limits(),
                                                         stop,
                                                         options.recompute_every,
                                                         begins,
                                                         ends,
                                                         options.zero_guess};
      detail::krylov::launch_cg<how>(exec, scheme_, device_, problem, vectors, workspace_,
                                     meeting_);
    };
    if (options.check_every == 0) return launch(options.max_iterations, true, true);
    launch(0, true, false);
    monitor_.run(exec, 1,
                 detail::krylov::Iteration{
                     [&](int, int stop) { launch(stop, false, false); },
                     [&](Due due) {
                       if (due == Due::all) launch(0, false, true);  // else the kernel does it
                     },
                     [] {}, [&](const auto& progress) { best_.keep(exec, progress, x_); },
                     [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
  }

  static Multivector<S> whole(const Vectors& v) { return multivector_of<S>(v); }
  static Const read(const Vectors& v) { return multivector_of<const S>(v); }

  /// A pass over all right-hand sides; make(first, count) gives it for some.
  template <class Make>
  void pass(const Exec& exec, const char* label, bool unit, const Make& make) {
    detail::vectors::in_slices(count_, [&](int first, int count) {
      const auto of_slice = make(first, count);
      using Pass = std::remove_const_t<decltype(of_slice)>;
      if constexpr (Pass::sums == 0) {
        detail::vectors::stream(exec, label, rows_, count, unit, of_slice);
      } else {
        detail::vectors::stream(exec, label, rows_, count, unit, of_slice,
                                workspace_.partials(count * Pass::sums));
      }
    });
  }

  template <How how>
  detail::krylov::Residuals<S, how> residuals(const Const& z, int first, int count) const {
    return {how == How::by_operator ? z.slice(first, count) : z};
  }

  /// After b - A x: what an iteration needs that goes on from there.
  template <How how, class M>
  void restart(const Exec& exec, [[maybe_unused]] M& preconditioner, const Const& z) {
    namespace krylov = detail::krylov;
    residual_passes().scale(exec);
    if constexpr (how == How::by_operator) krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
    pass(exec, "heddle::cg::restart", z.row_stride == 1, [&](int f, int n) {
      return krylov::CgRestart<S, how>{read(r_).slice(f, n), residuals<how>(z, f, n),
                                       whole(p_).slice(f, n), monitor_.states() + f};
    });
  }

  /// q = A p, and p . q
  template <class A>
  void multiply(const Exec& exec, A& matrix) {
    namespace krylov = detail::krylov;
    if constexpr (takes_dot<A>) {
      if (count_ == 1) {
        return matrix.apply_dot(exec, ConstSolverVector<Exec, S>(krylov::column<Exec, S>(p_, 0)),
                                krylov::column<Exec, S>(q_, 0), workspace_,
                                krylov::SolverNumber<Exec, Sum>(curvature_));
      }
    }
    krylov::apply<Exec, S>(exec, matrix, p_, q_);
    pass(exec, "heddle::cg::curvature", true, [&](int f, int n) {
      return krylov::CgCurvature<S>{
          {read(p_).slice(f, n), read(q_).slice(f, n)}, monitor_.states() + f, curvature_ + f};
    });
  }

  template <How how, class A, class M>
  void iterate(const Exec& exec, A& matrix, [[maybe_unused]] M& preconditioner, const Const& z) {
    namespace krylov = detail::krylov;
    multiply(exec, matrix);
    const auto limits = monitor_.limits();
    pass(exec, "heddle::cg::residual", z.row_stride == 1, [&](int f, int n) {
      return krylov::CgResidual<S, how>{whole(r_).slice(f, n),
                                        read(q_).slice(f, n),
                                        residuals<how>(z, f, n),
                                        monitor_.states(),
                                        curvature_,
                                        limits,
                                        f};
    });
    if constexpr (how == How::by_operator) {
      krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
      pass(exec, "heddle::cg::rho", true, [&](int f, int n) {
        return krylov::CgRho<S>{{read(r_).slice(f, n), read(z_).slice(f, n)},
                                monitor_.states() + f};
      });
    }
    pass(exec, "heddle::cg::directions", z.row_stride == 1, [&](int f, int n) {
      return krylov::CgDirections<S, how>{{},
                                          whole(x_).slice(f, n),
                                          whole(p_).slice(f, n),
                                          read(r_).slice(f, n),
                                          residuals<how>(z, f, n),
                                          monitor_.states() + f};
    });
  }

  std::int64_t rows_;
  int count_;
  Monitor monitor_;
  VectorWorkspace<Exec, Sum> workspace_;
  Device device_;
  Scheme scheme_;
  detail::krylov::BlockGraph<backends::Graph<Exec>> blocks_;
  detail::krylov::BestSolution<Exec, S> best_;
  Arena<Space> arena_;
  Vectors x_, r_, p_, q_, z_;
  Sum* curvature_ = nullptr;
  backends::MeetingWords meeting_;
  detail::MoveOnly only_moves_;
};

}  // namespace heddle
