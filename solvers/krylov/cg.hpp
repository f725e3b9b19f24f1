// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cg_names.hpp"
#include "cg_passes.hpp"
#include "cg_problem.hpp"
#include "solver.hpp"

namespace heddle {

/// Conjugate gradients: solves A x = b for a symmetric (Hermitian) positive definite A, with such a
/// preconditioner M. Several right-hand sides are solved together, each with its own iteration.
///
/// A solver is made once for a size, with all its memory: bytes(). It can be moved, not copied.
/// solve allocates nothing. The numbers of an iteration stay on the device, and nothing changes for
/// a right-hand side that has ended, so the host checks only every options.check_every iterations.
/// A block of that many (or of options.recompute_every) runs as one graph on CUDA and HIP if A and
/// M are capturable(). A solver solves one system at a time. The bits are the same on every run if
/// those of A and M are.
///
/// When the recurrence meets the tolerance, the solver computes b - A x and judges by it: one
/// product for each solve. If the tolerance is missed and b - A x still falls, the iteration
/// continues from there. r and p are scaled by powers of two, and sums are kept in double
/// for float, so that b of 1e-30 and of 1e30 behave as b of 1.
///
/// An iteration is three launches: the product with p.q; r and its norm; x and p together. With n
/// rows of b bytes it moves the matrix and 10 n b bytes. JacobiPreconditioner, whose z is never
/// stored, makes it 12 n b; another preconditioner 12 n b and its own. If the product does not
/// compute p.q (SpmvPlan::has_dot; several right-hand sides; float, whose plans add up in float),
/// that is one more launch and 2 n b bytes. Each check of the host keeps the best x for 2 n b bytes
/// more.
///
/// Small systems are solved in one launch if A has csr() (with_rows adds the matrix to a plan), M
/// is absent or a JacobiPreconditioner, and there is one right-hand side. One team solves them
/// (cg/one-team) or, on devices that have clusters, one cluster of teams (cg/one-cluster). On a GPU
/// the vectors must fit into its scratch. The scheme is chosen by size or pinned by options.scheme;
/// scheme() returns what ran. cg/all-teams takes systems of any size, with all teams that the
/// device runs at once; it is never chosen. The schemes add up in different orders.
///
/// Sources: M. Hestenes and E. Stiefel (1952); replacing the recurrence by b - A x: H. van der
/// Vorst and Q. Ye (2000).
template <ExecutionSpace Exec, Scalar S>
class CgSolver
    : public detail::krylov::KrylovSolver<CgSolver<Exec, S>, Exec, S, detail::krylov::CgState> {
  using Base = detail::krylov::KrylovSolver<CgSolver, Exec, S, detail::krylov::CgState>;
  friend Base;

 public:
  /// An empty solver, to be assigned to.
  CgSolver() = default;
  /// A solver for systems of `rows` unknowns and options.vectors right-hand sides at a time. Throws
  /// Error if options are invalid. Without `exec`: on the default instance.
  CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});
  explicit CgSolver(std::int64_t rows, const KrylovOptions& options = {})
      : CgSolver(Exec(), rows, options) {}
  template <class Count>
  CgSolver(const Exec&, std::int64_t, const KrylovOptions&, Count) {
    static_assert(!std::same_as<Count, Count>, "options.vectors is the number of right-hand sides");
  }

  /// The scheme that the last solve ran.
  const Scheme& scheme() const {
    only_moves_.check("CgSolver", "scheme");
    return scheme_;
  }

 private:
  using Base::allocate, Base::arena_, Base::best_, Base::column, Base::count, Base::give,
      Base::limits, Base::monitor_, Base::only_moves_, Base::options, Base::pass, Base::q_,
      Base::r_, Base::read, Base::rows_, Base::scale_residual, Base::states, Base::workspace_,
      Base::write, Base::x_;
  using typename Base::Const, typename Base::How, typename Base::Sum, typename Base::Vectors;
  static constexpr detail::krylov::SolverTraits traits = {
      .takes = {.name = "CgSolver", .vectors = true, .scheme = true},
      .monitor = {"heddle::cg::state", "heddle::cg::state_on_host", "heddle::cg::check"},
      .labels = {"heddle::cg::true_residual", "heddle::cg::scale_residual", "heddle::cg::solution"},
      .vectors = "heddle::cg::vectors",
      .best = "heddle::cg::best",
      .method = detail::krylov::method_of_cg,
      .recorded = true,
      .dot_in_product = true,
      .needs_symmetric = "conjugate gradients need"};
  template <class A>
  static constexpr bool takes_dot = detail::krylov::AppliesDot<A, Exec, S>;

  template <class M, class A>
  double vectors_moved(const A& matrix) const {
    const bool with_dot = count() == 1 && takes_dot<A> && detail::krylov::has_dot(matrix);
    return (detail::krylov::no_preconditioner<M> ? 10 : 12) - (with_dot ? 2 : 0);
  }

  template <class A, class M>
  bool solve_in_one_launch(const Exec& exec, A& matrix, const Const& b, const Multivector<S>& x,
                           M& preconditioner) {
    namespace krylov = detail::krylov;
    constexpr How how = krylov::how_with<M>();
    if constexpr (krylov::HasRows<A> && how != How::by_operator) {
      const auto rows = matrix.csr();
      if (const auto scheme = rows ? in_one_launch(*rows) : std::nullopt) {
        scheme_ = *scheme;
        launch_blocks<how>(exec, *rows, b, x, read_of(preconditioner));
        return true;
      }
    }
    scheme_ = krylov::cg_launches();
    check_pinned();
    return false;
  }

  /// Which scheme, if any, solves in one launch what `matrix` and z say.
  template <class Matrix>
  std::optional<Scheme> in_one_launch(const Matrix& matrix) const {
    if (count() != 1) return std::nullopt;
    return detail::krylov::cg_in_one_launch<Exec, S>(device_, options().scheme, rows_,
                                                     static_cast<std::int64_t>(matrix.nonzeros()));
  }

  /// Throws Error if another scheme is pinned than the one that takes the system.
  void check_pinned() const;

  /// A launch for each block of iterations; the first begins, and is one of its own where the host
  /// checks before any iteration.
  template <How how, class Matrix>
  void launch_blocks(const Exec& exec, const Matrix& matrix, const Const& b,
                     const Multivector<S>& x, const Const& z) {
    const detail::krylov::CgVectors<S*> vectors{x_.data(), r_.data(), p_.data(), q_.data()};
    const auto launch = [&](int stop, bool begins, bool ends) {
      const detail::krylov::CgProblem<S, Matrix> problem{matrix.row_ptr().data(),
                                                         matrix.col_idx().data(),
                                                         matrix.values().data(),
                                                         rows_,
                                                         b,
                                                         z,
                                                         x,
                                                         states(),
                                                         limits(),
                                                         stop,
                                                         options().recompute_every,
                                                         begins,
                                                         ends,
                                                         options().zero_guess};
      detail::krylov::launch_cg<how>(exec, scheme_, device_, problem, vectors, workspace_,
                                     meeting_);
    };
    if (options().check_every == 0) return launch(options().max_iterations, true, true);
    launch(0, true, false);
    monitor_.run(exec, 1,
                 detail::krylov::Iteration{
                     [&](int, int stop) { launch(stop, false, false); },
                     [&](detail::krylov::Due due) {
                       if (due == detail::krylov::Due::all)
                         launch(0, false, true);  // else the kernel does it
                     },
                     [] {}, [&](const auto& progress) { best_.keep(exec, progress, x_); },
                     [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
    give(exec, x);
  }

  template <class M>
  Const read_of(M& preconditioner) const {
    return detail::krylov::read_of<S>(preconditioner, read(z_), rows_);
  }

  template <class M>
  void restart(const Exec& exec, M& preconditioner) {
    namespace krylov = detail::krylov;
    constexpr How how = krylov::how_with<M>();
    scale_residual(exec);
    if constexpr (how == How::by_operator) krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
    const Const z = read_of(preconditioner);
    pass(exec, "heddle::cg::restart", z.row_stride == 1,
         krylov::CgRestart<S, how>{{}, read(r_), z, states()});
    directions<how>(exec, z, true);
  }
  template <How how>
  void directions(const Exec& exec, const Const& z, bool turning) {
    pass(exec, "heddle::cg::directions", z.row_stride == 1,
         detail::krylov::CgDirections<S, how>{
             {}, write(x_), write(p_), read(r_), z, states(), turning});
  }

  /// q = A p, and p . q
  template <class A>
  void multiply(const Exec& exec, A& matrix) {
    namespace krylov = detail::krylov;
    if constexpr (takes_dot<A>) {
      if (count() == 1) {
        return krylov::recordable<A>(exec, [&] {
          matrix.apply_dot(exec, ConstSolverVector<Exec, S>(column(p_)), column(q_), workspace_,
                           krylov::SolverNumber<Exec, Sum>(curvature_));
        });
      }
    }
    krylov::apply<Exec, S>(exec, matrix, p_, q_);
    pass(exec, "heddle::cg::curvature", true,
         krylov::CgCurvature<S>{{{}, read(p_), read(q_)}, states(), curvature_});
  }

  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool) {
    namespace krylov = detail::krylov;
    constexpr How how = krylov::how_with<M>();
    multiply(exec, matrix);
    const Const z = read_of(preconditioner);
    pass(exec, "heddle::cg::residual", z.row_stride == 1,
         krylov::CgResidual<S, how>{{}, write(r_), read(q_), z, states(), curvature_, limits()});
    if constexpr (how == How::by_operator) {
      krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
      pass(exec, "heddle::cg::rho", true, krylov::CgRho<S>{{{}, read(r_), read(z_)}, states()});
    }
    directions<how>(exec, z, false);
  }

  Device device_;
  Scheme scheme_;
  Vectors p_, z_;
  Sum* curvature_ = nullptr;
  backends::MeetingWords meeting_{};
};

}  // namespace heddle
