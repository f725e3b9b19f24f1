// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <utility>

#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/multivector.hpp"
#include "../../formats/compiled.hpp"
#include "direct_solver.hpp"
#include "options.hpp"
#include "report.hpp"

namespace heddle::detail::solve {

/// The work of a Solver, for a matrix with signed offsets. Solver documents each member.
template <ExecutionSpace Exec, class Matrix>
class AnySolver {
 public:
  using S = typename Matrix::scalar_type;
  virtual ~AnySolver() = default;
  virtual const SolveReport& solve(const Exec& exec, const Multivector<const S>& b,
                                   const Multivector<S>& x, double seconds_before) = 0;
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  virtual std::size_t bytes() const = 0;
  virtual const SolveReport& report() const = 0;
  virtual std::int64_t rows() const = 0;
};

/// Inspects A; waits for `exec`. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<AnySolver<Exec, Matrix>> make_solver(const Exec& exec, const Matrix& A,
                                                     const SolveOptions& options);

}  // namespace heddle::detail::solve

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// Instances of solves for a scalar in the compiled part (compiled.hpp).
#define HEDDLE_SOLVE_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_SOLVE_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_SOLVE_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_SOLVE_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_SOLVE_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_SOLVE_INSTANCE(EXTERN, EXEC, ...)                                         \
  EXTERN template std::unique_ptr<heddle::detail::solve::AnySolver<EXEC, __VA_ARGS__>>   \
  heddle::detail::solve::make_solver<EXEC, __VA_ARGS__>(const EXEC&, const __VA_ARGS__&, \
                                                        const ::heddle::SolveOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_SOLVE_INSTANCES, HEDDLE_EXTERN)

namespace heddle {

/// Solves A x = b by a method and a preconditioner that it chooses for A, for one right-hand side
/// after another. docs/solve.md
///
/// The constructor inspects A: rows, symmetry, diagonal, signs, and Ritz values of D^-1 A. Each
/// pair of method and preconditioner that may serve has a predicted time. solve runs the cheapest.
/// If the rest of its iterations is forecast to take more than 1.5 times the price of another
/// pair, that one is tried from the x so far, and the first one waits: it continues where it was if
/// the other one is forecast to take longer. If a pair breaks down, meets an indefinite matrix or
/// preconditioner, or its set-up throws Error, the next one continues from the x with the least
/// true residual. Predictions depend on A, options and the device's figures, and no choice on a
/// clock unless options.max_seconds is set: the same pairs run wherever products and
/// preconditioners give the same bits.
///
/// The Solver borrows the matrix: its arrays must outlive it, or the next update_values. Set-ups
/// are kept for later solves, and what a solve learned changes the order of the next. A Solver
/// solves one system at a time. It can be moved, not copied. Every call on one that is empty or
/// moved from throws Error until another is assigned to it.
template <ExecutionSpace Exec, class Matrix>
class Solver {
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::solve::AnySolver<Exec, Signed>;

 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// An empty solver, to be assigned to: every call on it throws Error.
  Solver() : moves_(detail::made_empty) {}

  /// Inspects A on `exec`, and waits for it: a plan of the product, a sample of the rows, one pass
  /// over the entries, or four, with a thread for each row, and where the choice may depend on them
  /// 10 products with 4 vectors of temporary memory, 13 if A is not symmetric.
  /// Throws Error if A is not square; naming the row, if the row pointer or a column is wrong; if
  /// options are out of range, options.pair is no pair, or vectors of an option do not fit A. NaN
  /// and infinity in A are no Error here: solve reports them.
  explicit Solver(const Exec& exec, const Matrix& A, const SolveOptions& options = {})
      : core_(detail::solve::make_solver<Exec, Signed>(exec, with_signed_offsets(A), options)) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> || detail::is_compiled<Exec, Signed>());
  }
  explicit Solver(const Matrix& A, const SolveOptions& options = {}) : Solver(Exec{}, A, options) {}

  /// Solves A x = b. b and x are of rank 1 with A.rows() entries, in any layout, and do not
  /// overlap. x is a guess (SolveOptions::zero_guess). Afterwards x has the least norm of b - A x
  /// that was seen, of conjugate gradients at their limit the last x; if b or A is not finite, x is
  /// as it was. Allocates, sets up and waits. Throws Error if shapes do not fit, and what the
  /// callback throws, with the best x so far in x; a failure is an outcome of the report, which is
  /// valid until the next call.
  template <VectorView B, WritableVectorView X>
  const SolveReport& solve(const Exec& exec, const B& b, const X& x) {
    return solve_after(exec, b, x, 0);
  }
  template <VectorView B, WritableVectorView X>
  const SolveReport& solve(const B& b, const X& x) {
    return solve(Exec{}, b, x);
  }

  /// Takes the values of A, which has the inspected pattern, and borrows its arrays from this call
  /// on. The values are inspected as in the constructor; preconditioners that are set up take them
  /// in their patterns. Waits for `exec`. Throws Error if the sizes differ.
  void update_values(const Exec& exec, const Matrix& A) {
    core("update_values").update_values(exec, with_signed_offsets(A));
  }
  void update_values(const Matrix& A) { update_values(Exec{}, A); }

  /// Device memory that the Solver holds beyond the matrix, in bytes: it grows in the solves that
  /// set something up.
  std::size_t bytes() const { return core("bytes").bytes(); }
  /// The report of the last solve; before one, what A is and what was considered.
  const SolveReport& report() const { return core("report").report(); }
  std::int64_t rows() const { return core("rows").rows(); }

  /// Does what solve does, with a limit of time that began `seconds` before the call.
  template <VectorView B, WritableVectorView X>
  const SolveReport& solve_after(const Exec& exec, const B& b, const X& x, double seconds) {
    static_assert(B::rank() == 1 && X::rank() == 1, "a solve takes one right-hand side");
    static_assert(std::same_as<typename B::non_const_value_type, scalar_type> &&
                      std::same_as<typename X::value_type, scalar_type>,
                  "b and x hold the matrix's scalar");
    return core("solve").solve(exec, multivector_of<const scalar_type>(b),
                               multivector_of<scalar_type>(x), seconds);
  }

 private:
  /// Throws Error if the solver is empty.
  Core& core(const char* called) const {
    moves_.check("Solver", called);
    return *core_;
  }

  detail::MoveOnly moves_;
  std::unique_ptr<Core> core_;
};

template <ExecutionSpace Exec, class Matrix>
Solver(const Exec&, const Matrix&, const SolveOptions& = {}) -> Solver<Exec, Matrix>;
template <class Matrix>
Solver(const Matrix&, const SolveOptions& = {})
    -> Solver<typename Matrix::memory_space::execution_space, Matrix>;

/// Solves A x = b once, by a Solver that it makes: for several solves make one. options.max_seconds
/// includes the inspection. Throws Error as Solver does.
template <ExecutionSpace Exec, class Matrix, VectorView B, WritableVectorView X>
SolveReport solve(const Exec& exec, const Matrix& A, const B& b, const X& x,
                  const SolveOptions& options = {}) {
  const Kokkos::Timer timer;
  Solver<Exec, Matrix> solver(exec, A, options);
  return solver.solve_after(exec, b, x, timer.seconds());
}
/// Solves A x = b once, for an x that it allocates, from zero: auto [x, report] =
/// heddle::solve(exec, A, b).
template <ExecutionSpace Exec, class Matrix, VectorView B>
auto solve(const Exec& exec, const Matrix& A, const B& b, SolveOptions options = {}) {
  using X = Kokkos::View<typename Matrix::scalar_type*, typename Exec::memory_space>;
  const X x(Kokkos::view_alloc(kokkos_space(exec), "heddle::solve::solution"),
            static_cast<std::size_t>(A.columns()));
  options.zero_guess = true;
  SolveReport report = solve(exec, A, b, x, options);
  return std::pair<X, SolveReport>(x, std::move(report));
}
/// On the default instance.
template <class Matrix, VectorView B, WritableVectorView X>
  requires(!ExecutionSpace<Matrix>)
SolveReport solve(const Matrix& A, const B& b, const X& x, const SolveOptions& options = {}) {
  return solve(typename Matrix::memory_space::execution_space(), A, b, x, options);
}
/// On the default instance, for an x that it allocates.
template <class Matrix, VectorView B>
  requires(!ExecutionSpace<Matrix>)
auto solve(const Matrix& A, const B& b, const SolveOptions& options = {}) {
  return solve(typename Matrix::memory_space::execution_space(), A, b, options);
}

}  // namespace heddle
