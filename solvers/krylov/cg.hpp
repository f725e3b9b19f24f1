// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../vectors/updates.hpp"
#include "apply.hpp"
#include "block_graph.hpp"
#include "cg_schemes.hpp"
#include "monitor.hpp"

namespace heddle {

/// Conjugate gradients: solves A x = b for a symmetric (Hermitian) positive definite A, with a
/// preconditioner M that is so too, and for several right-hand sides side by side, each with an
/// iteration of its own.
///
/// Made once for a size, with all memory: bytes(). solve allocates nothing. The numbers of an
/// iteration stay on the device, and once a right-hand side has ended nothing of it changes any
/// more, so the host looks only every options.check_every iterations; a block of so many runs as
/// one graph on CUDA and HIP, if A and M are capturable() and options.recompute_every is 0. One
/// solver solves one system at a time. The same bits on every run, if A and M give the same bits.
///
/// An iteration is three launches: the product with p.q; r and its norm; x and p together. With n
/// rows of b bytes it moves the matrix and 10 n b bytes, 12 n b with JacobiPreconditioner, whose z
/// is never stored; another preconditioner: 12 n b and its own. Where p.q does not come with the
/// product (SpmvPlan::has_dot; several right-hand sides) it is a launch more and 2 n b bytes.
///
/// Small systems are solved in one launch, where A has csr() (with_rows puts the matrix beside a
/// plan), M is none or JacobiPreconditioner, and there is one right-hand side: by one team
/// (cg/one-team) or, where the device has clusters, one cluster of teams (cg/one-cluster), into
/// whose scratch the vectors fit on a GPU. Chosen by size, or pinned by options.scheme; scheme()
/// says what ran. One more, which is never chosen, takes systems of any size: cg/all-teams, by all
/// teams that the device runs at once. The schemes add up in different orders.
///
/// Source: M. Hestenes and E. Stiefel (1952).
template <ExecutionSpace Exec, Scalar S>
class CgSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Real = RealOf<S>;

  /// For systems of `rows` unknowns and `count` right-hand sides at a time. Throws Error if options
  /// make no sense.
  CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {}, int count = 1)
      : rows_(rows),
        count_(count),
        monitor_(exec,
                 detail::krylov::MonitorLabels{"heddle::cg::state", "heddle::cg::state_on_host",
                                               "heddle::cg::look"},
                 options, rows, count),
        workspace_(exec, 24, rows),
        device_(backends::describe(exec)),
        blocks_(options.check_every) {
    detail::krylov::check_cg_scheme(options.scheme);
    const auto n = static_cast<std::size_t>(rows), vectors = static_cast<std::size_t>(count);
    arena_ = Arena<Space>(exec, "heddle::cg::vectors",
                          5 * arena_bytes<S>(n * vectors) + arena_bytes<S, int>(vectors, 2));
    for (Vectors* v : {&x_, &r_, &p_, &q_, &z_}) {
      *v = Vectors(arena_.template take<S>(n * vectors).data(), n, vectors);
    }
    curvature_ = arena_.template take<S>(vectors).data();
    int* const words = arena_.template take<int>(2).data();
    detail::fill(exec, "heddle::cg::clear_meetings", words, 2, 0);
    meeting_ = {words, words + 1};
  }

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
    constexpr How how = detail::krylov::how_with<M>();
    detail::krylov::check_symmetric(preconditioner, "conjugate gradients need");
    const auto with = detail::krylov::residuals_with<S>(preconditioner, read(z_), rows_);
    return solve_with<how>(exec, matrix, b, x, preconditioner, with.z);
  }

  /// Of every right-hand side, as of the last look; with `exec`, waits and looks.
  std::span<const KrylovResult> results() const { return monitor_.results(); }
  std::span<const KrylovResult> results(const Exec& exec) {
    monitor_.look(exec);
    return results();
  }
  /// On the device, with options.history: the residual norms, of right-hand side v and iteration i
  /// (0: the first residual) at v * (max_iterations + 1) + i, as far as `iterations` says.
  auto history() const { return monitor_.history(); }

  /// What the last solve ran by.
  const Scheme& scheme() const { return scheme_; }
  /// Blocks of iterations, of all solves so far, that ran as a recorded graph.
  int replays() const { return blocks_.replays(); }
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes() + monitor_.bytes(); }
  /// Bytes that an iteration moves, the preconditioner's own not counted.
  template <class A, class M = NoPreconditioner>
  double moved_bytes(const A& matrix, const M& = {}) const {
    const double entries = static_cast<double>(rows_) * count_ * sizeof(S);
    const bool with_dot = count_ == 1 && detail::krylov::has_dot(matrix);
    const double passes = (std::same_as<M, NoPreconditioner> ? 10 : 12) - (with_dot ? 2 : 0);
    return detail::krylov::bytes_of_product(matrix, count_) + passes * entries;
  }

 private:
  using Space = typename Exec::memory_space;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;
  using Monitor = detail::krylov::Monitor<Exec, detail::krylov::CgState<Real>, Real>;
  using How = detail::krylov::Preconditioned;
  using Const = Multivector<const S>;

  template <How how, class A, class B, class X, class M>
  KrylovResult solve_with(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner,
                          const Const& z) {
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    krylov::check_square(matrix, rows_);
    krylov::check_system(rows_, count_, right, detail::vectors::to_write(x));
    monitor_.clear();
    if constexpr (krylov::HasRows<A> && how != How::by_operator) {
      const auto rows = matrix.csr();
      if (const auto scheme = rows ? in_one_launch(*rows) : std::nullopt) {
        scheme_ = *scheme;
        solve_in_one_launch<how>(exec, *rows, right, detail::vectors::to_write(x), z);
        return worst();
      }
    }
    scheme_ = krylov::cg_launches();
    if (const auto& pinned = monitor_.options().scheme; pinned && *pinned != scheme_) {
      throw Error(pinned->to_string() +
                      " does not take this system: A has no csr(), or M is neither none nor "
                      "Jacobi, or there are several right-hand sides, or too many rows for one "
                      "team or cluster, or teams cannot wait for each other on this device",
                  "leave out options.scheme");
    }
    start<how>(exec, matrix, b, x, preconditioner, z);
    const int every = monitor_.options().recompute_every;
    const auto iterations = [&](int first, int stop) {
      for (int step = first; step < stop; ++step) {
        iterate<how>(exec, matrix, preconditioner, z);
        if (every > 0 && (step + 1) % every == 0) {
          recompute<how>(exec, matrix, right, preconditioner, z);
        }
      }
    };
    auto versions = krylov::versions_to_record(matrix, preconditioner);
    if (every > 0) versions.reset();  // blocks differ, and read b
    monitor_.run(exec, 1, [&](int first, int stop) {
      blocks_.run(exec, versions, first, stop, iterations);
    });
    vectors::copy(exec, x_, x);
    return worst();
  }

  KrylovResult worst() const {
    return *std::min_element(results().begin(), results().end(),
                             [](const KrylovResult& a, const KrylovResult& other) {
                               if (a.converged() != other.converged()) return !a.converged();
                               return a.relative_residual() > other.relative_residual();
                             });
  }

  /// Which scheme, if any, solves in one launch what `matrix` and z say.
  template <class Matrix>
  std::optional<Scheme> in_one_launch(const Matrix& matrix) const {
    if (count_ != 1) return std::nullopt;
    return detail::krylov::cg_in_one_launch<Exec, S>(device_, monitor_.options().scheme, rows_,
                                                     static_cast<std::int64_t>(matrix.nonzeros()));
  }

  /// A launch for each block of iterations; the first begins, and is one of its own where the host
  /// looks before any iteration.
  template <How how, class Matrix>
  void solve_in_one_launch(const Exec& exec, const Matrix& matrix, const Const& b,
                           const Multivector<S>& x, const Const& z) {
    const auto& options = monitor_.options();
    const detail::krylov::CgVectors<S*> vectors{x_.data(), r_.data(), p_.data(), q_.data()};
    const auto launch = [&](int first, int stop, bool begins) {
      const detail::krylov::CgProblem<S, Matrix> problem{matrix.row_ptr().data(),
                                                         matrix.col_idx().data(),
                                                         matrix.values().data(),
                                                         rows_,
                                                         b,
                                                         z,
                                                         x,
                                                         monitor_.states(),
                                                         monitor_.limits(),
                                                         first,
                                                         stop,
                                                         options.recompute_every,
                                                         begins,
                                                         options.zero_guess};
      if constexpr (backends::has_cooperative<Exec>) {
        if (scheme_ == detail::krylov::cg_all_teams()) {
          return launch_all_teams<how>(exec, problem, vectors);
        }
      }
      if constexpr (backends::has_clusters<Exec>) {
        if (scheme_ == detail::krylov::cg_one_cluster()) {
          return launch_one_cluster<how>(exec, problem, vectors);
        }
      }
      launch_one_team<how>(exec, problem, vectors);
    };
    const bool looks = options.check_every > 0;
    if (looks) launch(0, 0, true);
    monitor_.run(exec, 1, [&](int first, int stop) { launch(first, stop, !looks); });
  }

  using OneLaunchShape =
      backends::Shape<backends::max_subwarp_width<Exec>, detail::vectors::tuning_of<Exec>.threads>;

  template <How how, class Matrix>
  void launch_one_team(const Exec& exec, const detail::krylov::CgProblem<S, Matrix>& problem,
                       const detail::krylov::CgVectors<S*>& vectors) {
    constexpr bool lanes = backends::has_lanes<Exec>;
    const detail::krylov::CgOneTeam<S, Matrix, how, lanes> kernel{problem, vectors};
    if constexpr (lanes) {
      backends::launch<OneLaunchShape>(exec, "heddle::cg::one_team", 1, kernel,
                                       detail::krylov::one_team_scratch_bytes<S>(rows_));
    } else {
      backends::launch<OneLaunchShape>(exec, "heddle::cg::one_team", 1, kernel);
    }
  }

  template <How how, class Matrix>
  void launch_one_cluster(const Exec& exec, const detail::krylov::CgProblem<S, Matrix>& problem,
                          const detail::krylov::CgVectors<S*>& vectors) {
    namespace krylov = detail::krylov;
    const int teams = krylov::cluster_teams(device_);
    const krylov::ClusterRows rows(rows_, teams);
    backends::launch_cluster<OneLaunchShape>(
        exec, "heddle::cg::one_cluster", teams, 1,
        krylov::CgOneCluster<S, Matrix, how>{problem, vectors, rows},
        krylov::cluster_scratch_bytes<S>(rows));
  }

  template <How how, class Matrix>
  void launch_all_teams(const Exec& exec, const detail::krylov::CgProblem<S, Matrix>& problem,
                        const detail::krylov::CgVectors<S*>& vectors) {
    using Kernel = detail::krylov::CgAllTeams<S, Matrix, how>;
    const auto partials = workspace_.partials(2 * detail::krylov::CgShared<S>::most_sums);
    const std::int64_t wanted = detail::krylov::all_teams_for<Exec>(device_, rows_);
    const std::int64_t most = std::min(
        partials.most_teams, backends::most_cooperative_teams<OneLaunchShape, Kernel>(exec));
    backends::launch_cooperative<OneLaunchShape>(exec, "heddle::cg::all_teams",
                                                 static_cast<int>(std::min(wanted, most)),
                                                 Kernel{problem, vectors, partials.sums}, meeting_);
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

  template <How how, class A, class B, class X, class M>
  void start(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner,
             const Const& z) {
    namespace krylov = detail::krylov;
    const bool from_zero = monitor_.options().zero_guess;
    vectors::axpby(exec, from_zero ? 0 : 1, x, 0, x_);
    vectors::copy(exec, b, r_);
    if (!from_zero) {
      krylov::apply<Exec, S>(exec, matrix, x_, q_);
      vectors::axpy(exec, -1, q_, r_);
    }
    const Const right = detail::vectors::to_read(b);
    if constexpr (how == How::by_operator) krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
    const auto limits = monitor_.limits();
    pass(exec, "heddle::cg::start", right.row_stride == 1 && z.row_stride == 1, [&](int f, int n) {
      return krylov::CgStart<S, how>{{},
                                     read(r_).slice(f, n),
                                     right.slice(f, n),
                                     residuals<how>(z, f, n),
                                     whole(p_).slice(f, n),
                                     monitor_.states(),
                                     limits,
                                     f};
    });
  }

  /// q = A p, and p . q
  template <class A>
  void multiply(const Exec& exec, A& matrix) {
    namespace krylov = detail::krylov;
    if constexpr (krylov::AppliesDot<A, Exec, S>) {
      if (count_ == 1) {
        return matrix.apply_dot(exec, ConstSolverVector<Exec, S>(krylov::column<Exec, S>(p_, 0)),
                                krylov::column<Exec, S>(q_, 0), workspace_,
                                krylov::SolverNumber<Exec, S>(curvature_));
      }
    }
    krylov::apply<Exec, S>(exec, matrix, p_, q_);
    pass(exec, "heddle::cg::curvature", true, [&](int f, int n) {
      return krylov::CgCurvature<S>{
          {read(p_).slice(f, n), read(q_).slice(f, n)}, monitor_.states() + f, curvature_ + f};
    });
  }

  template <How how, class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, const Const& z) {
    namespace krylov = detail::krylov;
    multiply(exec, matrix);
    residual<how, false>(exec, {}, preconditioner, z);
    pass(exec, "heddle::cg::directions", z.row_stride == 1, [&](int f, int n) {
      return krylov::CgDirections<S, how>{{},
                                          whole(x_).slice(f, n),
                                          whole(p_).slice(f, n),
                                          read(r_).slice(f, n),
                                          residuals<how>(z, f, n),
                                          monitor_.states() + f};
    });
  }

  template <How how, class A, class M>
  void recompute(const Exec& exec, A& matrix, const Const& b, M& preconditioner, const Const& z) {
    detail::krylov::apply<Exec, S>(exec, matrix, x_, q_);
    residual<how, true>(exec, b, preconditioner, z);
  }

  template <How how, bool anew, class M>
  void residual(const Exec& exec, const Const& b, [[maybe_unused]] M& preconditioner,
                const Const& z) {
    namespace krylov = detail::krylov;
    const auto limits = monitor_.limits();
    pass(exec, "heddle::cg::residual", b.row_stride == 1 && z.row_stride == 1, [&](int f, int n) {
      return krylov::CgResidual<S, how, anew>{whole(r_).slice(f, n),
                                              read(q_).slice(f, n),
                                              anew ? b.slice(f, n) : b,
                                              residuals<how>(z, f, n),
                                              monitor_.states(),
                                              curvature_,
                                              limits,
                                              f};
    });
    if constexpr (how == How::by_operator) {
      krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
      pass(exec, "heddle::cg::rho", true, [&](int f, int n) {
        return krylov::CgRho<S, anew>{{read(r_).slice(f, n), read(z_).slice(f, n)},
                                      monitor_.states() + f};
      });
    }
  }

  std::int64_t rows_;
  int count_;
  Monitor monitor_;
  VectorWorkspace<Exec, S> workspace_;
  Device device_;
  Scheme scheme_;
  detail::krylov::BlockGraph<backends::Graph<Exec>> blocks_;
  Arena<Space> arena_;
  Vectors x_, r_, p_, q_, z_;
  S* curvature_ = nullptr;
  backends::MeetingWords meeting_;
};

}  // namespace heddle
