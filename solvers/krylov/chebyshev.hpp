// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/updates.hpp"
#include "apply.hpp"
#include "chebyshev_passes.hpp"
#include "run.hpp"

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

/// How a preconditioner takes part, and what is read of it.
template <class M>
constexpr Preconditioned how_with() {
  if constexpr (std::same_as<M, NoPreconditioner>) return Preconditioned::not_at_all;
  if constexpr (requires(M& m) { m.inverse_diagonal(); }) return Preconditioned::by_diagonal;
  return Preconditioned::by_operator;
}

}  // namespace detail::krylov

/// Chebyshev's iteration: solves A x = b where the eigenvalues of M A lie between two positive
/// bounds, A and M symmetric. It needs no dots, and so no sum is waited for between products; where
/// bounds are known (a smoother, a mass matrix) it does what CG does. Where an eigenvalue lies
/// above the upper bound it diverges, which the result says.
///
/// Made once for a size, with all memory: bytes(). solve allocates nothing. The residual's norm is
/// computed every options.check_every iterations (with 0: at the end), when the host looks. A step
/// is the product and one launch, and moves what the product does and 7 n b bytes, 8 n b with
/// JacobiPreconditioner; with another preconditioner 10 n b and its own, in two launches.
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
                  const KrylovOptions& options = {})
      : rows_(rows), bounds_(bounds), options_(options), workspace_(exec, 2) {
    detail::krylov::check_options(options);
    detail::krylov::check_bounds(bounds);
    if (rows < 0) throw Error("a solver for a negative size", "give the size of the system");
    const auto n = static_cast<std::size_t>(rows);
    const std::size_t kept =
        options.history ? static_cast<std::size_t>(options.max_iterations) + 1 : 0;
    arena_ = Arena<Space>(exec, "heddle::chebyshev::vectors",
                          5 * arena_bytes<S>(n) + arena_bytes<Progress, Real>(1, kept));
    for (Vector* v : {&x_, &r_, &d_, &q_, &z_}) *v = Vector(arena_.template take<S>(n).data(), n);
    progress_ = arena_.template take<Progress>(1);
    history_ = arena_.template take<Real>(kept);
    progress_on_host_ = HostProgress("heddle::chebyshev::progress_on_host", 1);
    results_.resize(1);
  }

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
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    krylov::check_square(matrix, rows_);
    krylov::check_system(rows_, 1, right, detail::vectors::to_write(x));
    if (!krylov::symmetric(preconditioner)) {
      throw Error(krylov::name_of(preconditioner) +
                      " is not symmetric, and Chebyshev's iteration needs a preconditioner that is",
                  "sweep forward and backward, or take gmres or bicgstab");
    }
    results_[0] = {};
    if (options_.zero_guess) {
      vectors::scale(exec, 0, x_);
      vectors::scale(exec, 0, r_);
    } else {
      vectors::copy(exec, x, x_);
      matrix.apply(exec, Const(x_), r_);
    }
    detail::vectors::stream(
        exec, "heddle::chebyshev::begin", rows_, 1, detail::vectors::has_unit_stride(right),
        krylov::ChebyshevBegin<S>{{}, right, write(r_), progress_.data(), limits()},
        workspace_.partials(2));
    krylov::ChebyshevNumbers<Real> numbers(bounds_.lower, bounds_.upper);
    direction(exec, preconditioner, Real(0), numbers.first());
    krylov::run(
        options_, 1, results_,
        [&](int first, int stop) {
          for (int step = first; step < stop; ++step) {
            iterate(exec, matrix, preconditioner, numbers, step + 1 == stop ? stop - first : 0);
          }
        },
        [&] { look(exec); });
    vectors::copy(exec, x_, x);
    return results_[0];
  }

  /// As of the last look; with `exec`, waits and looks.
  const KrylovResult& result() const { return results_[0]; }
  const KrylovResult& result(const Exec& exec) {
    look(exec);
    return results_[0];
  }
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }
  /// Bytes that a step moves, the preconditioner's own not counted.
  template <class A, class M = NoPreconditioner>
  double moved_bytes(const A& matrix, const M& = {}) const {
    constexpr auto how = detail::krylov::how_with<M>();
    const double passes = how == How::not_at_all ? 7 : how == How::by_diagonal ? 8 : 10;
    const double own = passes * static_cast<double>(rows_) * sizeof(S);
    if constexpr (requires { matrix.moved_bytes(Op::none, 1); }) {
      return matrix.moved_bytes(Op::none, 1) + own;
    } else {
      return own;
    }
  }

 private:
  using Space = typename Exec::memory_space;
  using Vector = SolverVector<Exec, S>;
  using Const = ConstSolverVector<Exec, S>;
  using Progress = detail::krylov::Progress<Real>;
  using HostProgress = Kokkos::View<Progress*, Kokkos::HostSpace>;
  using How = detail::krylov::Preconditioned;

  static Multivector<S> write(const Vector& v) { return multivector_of<S>(v); }
  static Multivector<const S> read(const Vector& v) { return multivector_of<const S>(v); }
  detail::krylov::Limits<Real> limits() const {
    return detail::krylov::limits_of<Real>(options_, options_.history ? history_.data() : nullptr);
  }
  template <class M>
  detail::krylov::Residuals<S, detail::krylov::how_with<M>()> residuals(
      [[maybe_unused]] M& preconditioner) const {
    if constexpr (detail::krylov::how_with<M>() == How::by_diagonal) {
      const auto diagonal = detail::vectors::to_read(preconditioner.inverse_diagonal());
      if (diagonal.rows != rows_) {
        throw Error("the preconditioner is for " + std::to_string(diagonal.rows) +
                        " unknowns, not " + std::to_string(rows_),
                    "make it of the same matrix");
      }
      return {diagonal};
    } else {
      return {read(z_)};
    }
  }

  template <class M>
  void direction(const Exec& exec, M& preconditioner, Real old, Real fresh) {
    constexpr How how = detail::krylov::how_with<M>();
    if constexpr (how == How::by_operator) preconditioner.apply(exec, Const(r_), z_);
    detail::vectors::stream(
        exec, "heddle::chebyshev::direction", rows_, 1, true,
        detail::krylov::ChebyshevDirection<S, how>{
            {}, read(r_), write(d_), residuals(preconditioner), old, fresh, progress_.data()});
  }

  /// products: since the last norm, or 0 for a step without one.
  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner,
               detail::krylov::ChebyshevNumbers<Real>& numbers, int products) {
    constexpr How how = detail::krylov::how_with<M>();
    matrix.apply(exec, Const(d_), q_);
    const auto [old, fresh] = numbers.next();
    const auto step = [&, old = old, fresh = fresh]<bool norm>() {
      return detail::krylov::ChebyshevStep<S, how, norm>{
          write(x_), write(r_), write(d_),        read(q_), residuals(preconditioner),
          old,       fresh,     progress_.data(), limits(), products};
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

  void look(const Exec& exec) {
    Kokkos::deep_copy(kokkos_space(exec), progress_on_host_, progress_);
    exec.fence("heddle::chebyshev::look");
    results_[0] = detail::krylov::result_of(progress_on_host_(0));
  }

  std::int64_t rows_;
  SpectrumBounds bounds_;
  KrylovOptions options_;
  VectorWorkspace<Exec, S> workspace_;
  Arena<Space> arena_;
  Vector x_, r_, d_, q_, z_;
  typename Arena<Space>::template Array<Progress> progress_;
  typename Arena<Space>::template Array<Real> history_;
  HostProgress progress_on_host_;
  std::vector<KrylovResult> results_;
};

}  // namespace heddle
