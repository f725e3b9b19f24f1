// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/updates.hpp"
#include "apply.hpp"
#include "cg_passes.hpp"
#include "run.hpp"

namespace heddle {

/// Conjugate gradients: solves A x = b for a symmetric (Hermitian) positive definite A, with a
/// preconditioner M that is so too, and for several right-hand sides side by side, each with an
/// iteration of its own.
///
/// Made once for a size, with all memory: bytes(). solve allocates nothing. The numbers of an
/// iteration stay on the device, and once a right-hand side has ended nothing of it changes any
/// more, so the host looks only every options.check_every iterations. One solver solves one system
/// at a time. The same bits on every run, if A and M give the same bits.
///
/// An iteration is the product and three launches: p.q; r and its norm; x and p together. With n
/// rows of b bytes it moves what the product does and 10 n b bytes (p.q reads p and q again), 12 n
/// b with JacobiPreconditioner, whose z is never stored; another preconditioner: 12 n b and its
/// own.
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
      : rows_(rows), count_(count), options_(options), workspace_(exec, 24) {
    detail::krylov::check_options(options);
    if (rows < 0 || count < 1) {
      throw Error("a solver for " + std::to_string(rows) + " unknowns and " +
                      std::to_string(count) + " right-hand sides",
                  "give the size of the system");
    }
    const auto n = static_cast<std::size_t>(rows), vectors = static_cast<std::size_t>(count);
    const std::size_t kept =
        options.history ? vectors * (static_cast<std::size_t>(options.max_iterations) + 1) : 0;
    arena_ = Arena<Space>(
        exec, "heddle::cg::vectors",
        arena_bytes<S, S, S, S, S, State, Real>(n * vectors, n * vectors, n * vectors, n * vectors,
                                                n * vectors, vectors, kept));
    for (Vectors* v : {&x_, &r_, &p_, &q_, &z_}) {
      *v = Vectors(arena_.template take<S>(n * vectors).data(), n, vectors);
    }
    state_ = arena_.template take<State>(vectors);
    history_ = arena_.template take<Real>(kept);
    state_on_host_ = HostState("heddle::cg::state_on_host", vectors);
    results_.resize(vectors);
  }

  /// Solves A x = b from what is in x (or from zero: options.zero_guess). b and x are of rank 1, or
  /// of rank 2 with a column for each right-hand side, in any layout, and do not overlap. Returns
  /// the result of the right-hand side that fared worst; results() has all.
  ///
  /// Waits for `exec` every options.check_every iterations; with 0 never: then `outcome` is running
  /// whatever happens, and results(exec) waits and tells. Throws Error if sizes do not fit, or M
  /// says that it is not symmetric.
  template <class A, VectorView B, WritableVectorView X>
  KrylovResult solve(const Exec& exec, A& matrix, const B& b, const X& x) {
    NoPreconditioner none;
    return solve(exec, matrix, b, x, none);
  }
  template <class A, VectorView B, WritableVectorView X, class M>
  KrylovResult solve(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner) {
    static_assert(LinearOperator<A, Exec, S>, "A has no apply(exec, x, y), rows() and columns()");
    if constexpr (std::same_as<M, NoPreconditioner>) {
      return solve_with<How::not_at_all>(exec, matrix, b, x, preconditioner, {});
    } else {
      static_assert(Preconditioner<M, Exec, S>, "M has no apply(exec, b, x)");
      if (!detail::krylov::symmetric(preconditioner)) {
        throw Error(detail::krylov::name_of(preconditioner) +
                        " is not symmetric, and conjugate gradients need a preconditioner that is",
                    "sweep forward and backward, or take gmres or bicgstab");
      }
      if constexpr (requires { preconditioner.inverse_diagonal(); }) {
        const auto d = preconditioner.inverse_diagonal();
        return solve_with<How::by_diagonal>(exec, matrix, b, x, preconditioner,
                                            detail::vectors::to_read(d));
      } else {
        return solve_with<How::by_operator>(exec, matrix, b, x, preconditioner,
                                            detail::vectors::to_read(z_));
      }
    }
  }

  /// Of every right-hand side, as of the last look; with `exec`, waits and looks.
  std::span<const KrylovResult> results() const { return results_; }
  std::span<const KrylovResult> results(const Exec& exec) {
    look(exec);
    return results_;
  }
  /// On the device, with options.history: the residual norms, of right-hand side v and iteration i
  /// (0: the first residual) at v * (max_iterations + 1) + i, as far as `iterations` says.
  Kokkos::View<const Real*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  history() const {
    return history_;
  }

  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }
  /// Bytes that an iteration moves, the preconditioner's own not counted.
  template <class A, class M = NoPreconditioner>
  double moved_bytes(const A& matrix, const M& = {}) const {
    const double entries = static_cast<double>(rows_) * count_ * sizeof(S);
    const double passes = std::same_as<M, NoPreconditioner> ? 10 : 12;
    if constexpr (requires { matrix.moved_bytes(Op::none, count_); }) {
      return matrix.moved_bytes(Op::none, count_) + passes * entries;
    } else {
      return passes * entries;
    }
  }

 private:
  using Space = typename Exec::memory_space;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;
  using State = detail::krylov::CgState<Real>;
  using HostState = Kokkos::View<State*, Kokkos::HostSpace>;
  using How = detail::krylov::Preconditioned;
  using Const = Multivector<const S>;

  template <How how, class A, class B, class X, class M>
  KrylovResult solve_with(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner,
                          const Const& z) {
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    const auto left = detail::vectors::to_write(x);
    krylov::check_square(matrix, rows_);
    krylov::check_system(rows_, count_, right, left);
    if (z.rows != (how == How::not_at_all ? 0 : rows_)) {
      throw Error("the preconditioner is for " + std::to_string(z.rows) + " unknowns, not " +
                      std::to_string(rows_),
                  "make it of the same matrix");
    }
    std::fill(results_.begin(), results_.end(), KrylovResult());
    start<how>(exec, matrix, right, left, preconditioner, z);
    krylov::run(
        options_, 1, results_,
        [&](int first, int stop) {
          for (int step = first; step < stop; ++step) {
            iterate<how>(exec, matrix, preconditioner, z);
            const bool anew =
                options_.recompute_every && (step + 1) % options_.recompute_every == 0;
            if (anew) recompute<how>(exec, matrix, right, preconditioner, z);
          }
        },
        [&] { look(exec); });
    move(exec, whole(x_), left);
    return *std::min_element(results_.begin(), results_.end(),
                             [](const KrylovResult& a, const KrylovResult& other) {
                               if (a.converged() != other.converged()) return !a.converged();
                               return a.relative_residual() > other.relative_residual();
                             });
  }

  static Multivector<S> whole(const Vectors& v) { return multivector_of<S>(v); }
  static Const read(const Vectors& v) { return multivector_of<const S>(v); }

  /// to = alpha from + beta to
  void move(const Exec& exec, const Multivector<S>& from, const Multivector<S>& to) {
    move(exec, Const{from.data, from.row_stride, from.vector_stride, from.rows, from.count}, to, 1,
         0);
  }
  void move(const Exec& exec, const Const& from, const Multivector<S>& to, Real alpha, Real beta) {
    using Pass = vectors::passes::Axpby<S, S>;
    detail::vectors::in_slices(count_, [&](int first, int count) {
      detail::vectors::stream(exec, "heddle::cg::copy", rows_, count,
                              from.row_stride == 1 && to.row_stride == 1,
                              Pass{{},
                                   from.slice(first, count),
                                   to.slice(first, count),
                                   {nullptr, 0, S(alpha)},
                                   {nullptr, 0, S(beta)}});
    });
  }

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

  template <How how, class A, class M>
  void start(const Exec& exec, A& matrix, const Const& b, const Multivector<S>& x,
             M& preconditioner, const Const& z) {
    namespace krylov = detail::krylov;
    const Const guess{x.data, x.row_stride, x.vector_stride, x.rows, x.count};
    move(exec, guess, whole(x_), options_.zero_guess ? 0 : 1, 0);
    move(exec, b, whole(r_), 1, 0);
    if (!options_.zero_guess) {
      krylov::apply<Exec, S>(exec, matrix, x_, q_);
      move(exec, read(q_), whole(r_), -1, 1);
    }
    if constexpr (how == How::by_operator) krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
    const auto limits =
        krylov::limits_of<Real>(options_, options_.history ? history_.data() : nullptr);
    pass(exec, "heddle::cg::start", b.row_stride == 1 && z.row_stride == 1, [&](int f, int n) {
      return krylov::CgStart<S, how>{{},
                                     read(r_).slice(f, n),
                                     b.slice(f, n),
                                     residuals<how>(z, f, n),
                                     whole(p_).slice(f, n),
                                     state_.data(),
                                     limits,
                                     f};
    });
  }

  template <How how, class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, const Const& z) {
    namespace krylov = detail::krylov;
    krylov::apply<Exec, S>(exec, matrix, p_, q_);
    pass(exec, "heddle::cg::curvature", true, [&](int f, int n) {
      return krylov::CgCurvature<S>{read(p_).slice(f, n), read(q_).slice(f, n), state_.data() + f};
    });
    residual<how, false>(exec, {}, preconditioner, z);
    pass(exec, "heddle::cg::directions", z.row_stride == 1, [&](int f, int n) {
      return krylov::CgDirections<S, how>{{},
                                          whole(x_).slice(f, n),
                                          whole(p_).slice(f, n),
                                          read(r_).slice(f, n),
                                          residuals<how>(z, f, n),
                                          state_.data() + f};
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
    const auto limits =
        krylov::limits_of<Real>(options_, options_.history ? history_.data() : nullptr);
    pass(exec, "heddle::cg::residual", b.row_stride == 1 && z.row_stride == 1, [&](int f, int n) {
      return krylov::CgResidual<S, how, anew>{whole(r_).slice(f, n),
                                              read(q_).slice(f, n),
                                              anew ? b.slice(f, n) : b,
                                              residuals<how>(z, f, n),
                                              state_.data(),
                                              limits,
                                              f};
    });
    if constexpr (how == How::by_operator) {
      krylov::apply<Exec, S>(exec, preconditioner, r_, z_);
      pass(exec, "heddle::cg::rho", true, [&](int f, int n) {
        return krylov::CgRho<S, anew>{read(r_).slice(f, n), read(z_).slice(f, n),
                                      state_.data() + f};
      });
    }
  }

  void look(const Exec& exec) {
    Kokkos::deep_copy(kokkos_space(exec), state_on_host_, state_);
    exec.fence("heddle::cg::look");
    for (std::size_t v = 0; v < results_.size(); ++v) {
      results_[v] = detail::krylov::result_of(state_on_host_(v).progress);
    }
  }

  std::int64_t rows_;
  int count_;
  KrylovOptions options_;
  VectorWorkspace<Exec, S> workspace_;
  Arena<Space> arena_;
  Vectors x_, r_, p_, q_, z_;
  typename Arena<Space>::template Array<State> state_;
  typename Arena<Space>::template Array<Real> history_;
  HostState state_on_host_;
  std::vector<KrylovResult> results_;
};

}  // namespace heddle
