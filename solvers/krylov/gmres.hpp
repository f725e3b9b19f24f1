// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/combinations.hpp"
#include "../vectors/updates.hpp"
#include "apply.hpp"
#include "gmres_passes.hpp"
#include "monitor.hpp"

namespace heddle {

/// GMRES(m): solves A x = b for any A, with any preconditioner M on the right, so that the residual
/// that falls is that of A x = b itself. After m iterations the residual is computed from x anew,
/// and the iteration begins again.
///
/// Made once for a size and m, with all memory: m + 1 vectors, a few more, and m numbers squared:
/// bytes(). solve allocates nothing, and the host looks only every options.check_every iterations;
/// rotations and the small triangle are computed on the device. Iterations are products with A, but
/// for those that compute a residual. One solver solves one system at a time. The same bits on
/// every run, if A and M give the same bits.
///
/// Iteration j of a cycle moves what the product and M do, and (4 j + 10) n b bytes: Gram-Schmidt
/// twice, each a pass over j + 1 vectors for V' w and one for w - V h, so that V is orthogonal to
/// rounding.
///
/// Source: Y. Saad and M. Schultz (1986); for Gram-Schmidt twice L. Giraud et al. (2005).
template <ExecutionSpace Exec, Scalar S>
class GmresSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Real = RealOf<S>;

  /// For systems of `rows` unknowns, beginning anew after `restart` iterations. Throws Error if one
  /// of them, or options, make no sense.
  GmresSolver(const Exec& exec, std::int64_t rows, int restart = 30,
              const KrylovOptions& options = {})
      : rows_(rows),
        m_(restart),
        monitor_(
            exec,
            detail::krylov::MonitorLabels{"heddle::gmres::progress",
                                          "heddle::gmres::progress_on_host", "heddle::gmres::look"},
            options, rows),
        workspace_(exec, restart + 1) {
    if (restart < 1) {
      throw Error(
          "GMRES(" + std::to_string(restart) + ") for " + std::to_string(rows) + " unknowns",
          "give the size of the system, and at least one iteration before it begins anew");
    }
    const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(restart);
    const std::size_t numbers = m * m + 5 * (m + 1) + 1;
    arena_ = Arena<Space>(exec, "heddle::gmres::vectors",
                          arena_bytes<S, S, S, int, Real>(n * (m + 1), 2 * n, numbers, 1, m));
    basis_ = Vectors(arena_.template take<S>(n * (m + 1)).data(), n, m + 1);
    work_ = Vectors(arena_.template take<S>(2 * n).data(), n, 2);
    S* next = arena_.template take<S>(numbers).data();
    const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
    state_.m = restart;
    state_.triangle = take(m * m);
    state_.sine = take(m + 1);
    state_.turned = take(m + 1);
    state_.first_part = take(m + 1);
    state_.second_part = take(m + 1);
    state_.solution = take(m + 1);
    state_.factor = take(1);
    state_.progress = monitor_.states();
    state_.columns = arena_.template take<int>(1).data();
    state_.cosine = arena_.template take<Real>(m).data();
  }

  /// Solves A x = b from what is in x (or from zero: options.zero_guess). b and x are of rank 1 and
  /// do not overlap. Waits for `exec` every options.check_every iterations; with 0 never: then
  /// `outcome` is running whatever happens, and result(exec) waits and tells. Throws Error if sizes
  /// do not fit.
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
    static_assert(B::rank() == 1 && X::rank() == 1, "GMRES takes one right-hand side");
    namespace krylov = detail::krylov;
    krylov::check_square(matrix, rows_);
    krylov::check_system(rows_, 1, detail::vectors::to_read(b), detail::vectors::to_write(x));
    monitor_.clear();
    const auto own = column(work_, 0);
    if (monitor_.options().zero_guess) {
      vectors::scale(exec, 0, own);
    } else {
      vectors::copy(exec, x, own);
    }
    begin<true>(exec, matrix, b);
    int open = 0;  // iterations of this cycle
    monitor_.run(exec, 1, [&](int first, int stop) {
      for (int step = first; step < stop; ++step) {
        if (open == m_) {
          end(exec, preconditioner, open);
          begin<false>(exec, matrix, b);
          open = 0;
        }
        iterate(exec, matrix, preconditioner, open++);
      }
    });
    end(exec, preconditioner, open);
    vectors::copy(exec, own, x);
    return result();
  }

  /// As of the last look; with `exec`, waits and looks.
  const KrylovResult& result() const { return monitor_.results()[0]; }
  const KrylovResult& result(const Exec& exec) {
    monitor_.look(exec);
    return result();
  }
  /// On the device, with options.history: the residual norms, of iteration i (0: the first
  /// residual) at i, as far as `iterations` says.
  auto history() const { return monitor_.history(); }
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes() + monitor_.bytes(); }
  /// Bytes that an iteration moves, on average over a cycle, the preconditioner's own not counted.
  template <class A>
  double moved_bytes(const A& matrix) const {
    const double entries = static_cast<double>(rows_) * sizeof(S);
    return detail::krylov::bytes_of_product(matrix, 1) + (2.0 * (m_ - 1) + 10) * entries;
  }

 private:
  using Space = typename Exec::memory_space;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;
  using Vector = SolverVector<Exec, S>;
  using Numbers = SolverVector<Exec, S>;
  using Monitor = detail::krylov::Monitor<Exec, detail::krylov::Progress<Real>, Real>;

  static Vector column(const Vectors& of, int c) { return detail::krylov::column<Exec, S>(of, c); }
  /// The first `count` vectors of the basis.
  Vectors basis(int count) const {
    return Vectors(basis_.data(), basis_.extent(0), static_cast<std::size_t>(count));
  }
  /// Makes a vector of the basis one of length 1, or zero where there is none.
  void normalize(const Exec& exec, const Vector& v) {
    using Factor =
        Kokkos::View<const S, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    vectors::scale(exec, Factor(state_.factor), v);
  }

  template <bool first, class A, class B>
  void begin(const Exec& exec, A& matrix, const B& b) {
    const Vector r = column(basis_, 0);
    if (first && monitor_.options().zero_guess) {
      vectors::scale(exec, 0, r);
    } else {
      matrix.apply(exec, ConstSolverVector<Exec, S>(column(work_, 0)), r);
    }
    const auto right = detail::vectors::to_read(b);
    using Pass = detail::krylov::GmresBegin<S, first>;
    detail::vectors::stream(exec, "heddle::gmres::begin", rows_, 1,
                            detail::vectors::has_unit_stride(right),
                            Pass{{{}, right, multivector_of<S>(r)}, state_, monitor_.limits()},
                            workspace_.partials(Pass::sums));
    normalize(exec, r);
  }

  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, [[maybe_unused]] M& preconditioner, int j) {
    const Vector w = column(basis_, j + 1);
    ConstSolverVector<Exec, S> v = column(basis_, j);
    if constexpr (!std::same_as<M, NoPreconditioner>) {
      const Vector z = column(work_, 1);
      preconditioner.apply(exec, v, z);
      v = z;
    }
    matrix.apply(exec, v, w);
    const Vectors before = basis(j + 1);
    S* const parts[] = {state_.first_part, state_.second_part};  // not in place: nvcc
    for (S* const part : parts) {
      const Numbers h(part, static_cast<std::size_t>(j) + 1);
      vectors::inner_products(exec, before, w, workspace_, h);
      vectors::combine(exec, -1, before, h, 1, w);
    }
    detail::vectors::stream(
        exec, "heddle::gmres::column", rows_, 1, true,
        detail::krylov::GmresColumn<S>{multivector_of<const S>(w), state_, monitor_.limits(), j},
        workspace_.partials(1));
    normalize(exec, w);
  }

  /// x += M V y, of a cycle of so many iterations
  template <class M>
  void end(const Exec& exec, [[maybe_unused]] M& preconditioner, int iterations) {
    if (iterations == 0) return;
    Kokkos::parallel_for("heddle::gmres::solve", range_policy(exec, 1),
                         detail::krylov::GmresSolve<S>{state_});
    const Vector x = column(work_, 0);
    const Numbers y(state_.solution, static_cast<std::size_t>(iterations));
    if constexpr (std::same_as<M, NoPreconditioner>) {
      vectors::combine(exec, 1, basis(iterations), y, 1, x);
    } else {
      // The last vector of the basis is free now: the next cycle makes all of them anew.
      const Vector sum = column(basis_, m_), z = column(work_, 1);
      vectors::combine(exec, 1, basis(iterations), y, 0, sum);
      preconditioner.apply(exec, ConstSolverVector<Exec, S>(sum), z);
      vectors::axpy(exec, 1, z, x);
    }
  }

  std::int64_t rows_;
  int m_;
  Monitor monitor_;
  VectorWorkspace<Exec, S> workspace_;
  Arena<Space> arena_;
  Vectors basis_, work_;
  detail::krylov::GmresState<S> state_;
};

}  // namespace heddle
