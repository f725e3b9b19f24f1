// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "gmres_passes.hpp"
#include "monitor.hpp"

namespace heddle {

namespace detail::krylov {

/// Iterations of a cycle: no more than there can be. Throws Error or OutOfMemory before anything is
/// allocated.
inline int length_of_cycle(std::int64_t rows, int restart, const KrylovOptions& options,
                           std::size_t scalar_bytes) {
  check_options(options);
  if (restart < 1) {
    throw Error("restart is " + std::to_string(restart),
                "give the iterations after which GMRES is restarted, at least one");
  }
  const std::int64_t most =
      std::min<std::int64_t>(std::max<std::int64_t>(rows, 1), std::max(options.max_iterations, 1));
  const auto m = std::min<std::int64_t>(restart, most);
  const double columns = static_cast<double>(m) + 3;
  const double bytes = columns * static_cast<double>(scalar_bytes) *
                       std::max(static_cast<double>(rows), 2 * columns);
  if (bytes > 0x1p60) {
    throw OutOfMemory("restart = " + std::to_string(restart) + " keeps " + std::to_string(m) +
                          " vectors of " + std::to_string(rows) + " rows",
                      "restart after fewer iterations");
  }
  return static_cast<int>(m);
}

}  // namespace detail::krylov

/// GMRES(m): solves A x = b for any A, with any preconditioner M on the right, so that the residual
/// that falls is that of A x = b itself. After m iterations it is restarted: the residual is
/// computed from x, and a new basis begins. m is the least of `restart`, rows and
/// options.max_iterations.
///
/// Made once for a size and m, with all memory: m + 1 vectors, two more, and m numbers squared:
/// bytes(). It moves, and does not copy. solve allocates nothing, and the host checks only every
/// options.check_every iterations; rotations and the small triangle are computed on the device.
/// Iterations are products with A, but for those that compute a residual. b - A x, scaling and sums
/// are as CgSolver says. One solver solves one system at a time. The same bits on every run, if A
/// and M give the same bits.
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

  /// For systems of `rows` unknowns, restarted after `restart` iterations. Throws Error if one of
  /// them, or options, make no sense, and OutOfMemory, before it allocates, if no address space
  /// holds so many vectors.
  GmresSolver(const Exec& exec, std::int64_t rows, int restart = 30,
              const KrylovOptions& options = {});

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
    detail::vectors::assert_defined<Exec, S, S>();
    only_moves_.check("GmresSolver", "solve");
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    const auto solution = detail::vectors::to_write(x);
    monitor_.check_system(rows_, matrix.rows(), matrix.columns(), right, solution);
    monitor_.clear();
    const Vectors own = single(work_, 0), product = single(work_, 1);
    krylov::take_guess<Exec, S>(exec, matrix, x, monitor_.options().zero_guess, own, product);
    residual_passes().template judge<true>(exec, workspace_, right, Due::all);
    begin(exec);
    int open = 0;  // iterations of this cycle
    const auto judge = [&](Due due) {
      end(exec, preconditioner, std::exchange(open, 0));
      matrix.apply(exec, ConstSolverVector<Exec, S>(column(work_, 0)), column(work_, 1));
      residual_passes().template judge<false>(exec, workspace_, right, due);
    };
    monitor_.run(exec, 1,
                 krylov::Iteration{[&](int first, int stop) {
                                     for (int step = first; step < stop; ++step) {
                                       if (open == m_) {
                                         judge(Due::running);
                                         begin(exec);
                                       }
                                       iterate(exec, matrix, preconditioner, open++);
                                     }
                                   },
                                   judge, [&] { begin(exec); }, [](const auto&) {},
                                   [](const auto&) { return false; }});
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
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes() + monitor_.bytes(); }
  /// Bytes that an iteration moves, on average over a cycle, the preconditioner's own not counted.
  template <class A>
  double moved_bytes(const A& matrix) const {
    const double entries = static_cast<double>(rows_) * sizeof(S);
    return detail::krylov::bytes_of_product(matrix, 1) + (2.0 * (m_ - 1) + 10) * entries;
  }

 private:
  using Space = typename Exec::memory_space;
  using Sum = detail::krylov::Wide<S>;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;
  using Vector = SolverVector<Exec, S>;
  using Numbers = SolverVector<Exec, Sum>;
  using State = detail::krylov::Progress;
  using Monitor = detail::krylov::Monitor<Exec, S, State>;
  using ResidualPasses = detail::krylov::ResidualPasses<Exec, S, State>;
  using Due = detail::krylov::Due;

  static Vector column(const Vectors& of, int c) { return detail::krylov::column<Exec, S>(of, c); }
  static Vectors single(const Vectors& of, int c) {
    return Vectors(column(of, c).data(), of.extent(0), std::size_t{1});
  }
  /// The first `count` vectors of the basis.
  Vectors basis(int count) const {
    return Vectors(basis_.data(), basis_.extent(0), static_cast<std::size_t>(count));
  }
  ResidualPasses residual_passes() const {
    return {{"heddle::gmres::true_residual", nullptr, "heddle::gmres::solution"},
            multivector_of<S>(column(work_, 0)),
            multivector_of<S>(column(basis_, 0)),
            multivector_of<S>(column(work_, 1)),
            monitor_.states(),
            monitor_.limits(),
            detail::krylov::GmresState<S>::cost};
  }
  /// A cycle, from b - A x.
  void begin(const Exec& exec);
  /// Makes a vector of the basis one of length 1, or zero where there is none.
  void normalize(const Exec& exec, const Vector& v);
  /// Vector j + 1 of the basis, and column j of the triangle, from A M times vector j.
  void orthogonalize(const Exec& exec, int j);
  /// V y, of a cycle of so many iterations, in the last vector of the basis, which is free then:
  /// the next cycle makes all of them anew.
  Vector combine(const Exec& exec, int iterations);
  /// x += z, which is scaled.
  void add(const Exec& exec, const Vector& z);

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
    orthogonalize(exec, j);
  }

  /// x += M V y, of a cycle of so many iterations
  template <class M>
  void end(const Exec& exec, [[maybe_unused]] M& preconditioner, int iterations) {
    if (iterations == 0) return;
    Vector z = combine(exec, iterations);
    if constexpr (!std::same_as<M, NoPreconditioner>) {
      preconditioner.apply(exec, ConstSolverVector<Exec, S>(z), column(work_, 1));
      z = column(work_, 1);
    }
    add(exec, z);
  }

  std::int64_t rows_;
  int m_;
  Monitor monitor_;
  VectorWorkspace<Exec, Sum> workspace_;
  Arena<Space> arena_;
  Vectors basis_, work_;
  detail::krylov::GmresState<S> state_;
  detail::MoveOnly only_moves_;
};

}  // namespace heddle
