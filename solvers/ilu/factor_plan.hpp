// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "../../core/matrix.hpp"
#include "../../core/plan.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/compiled.hpp"
#include "../triangle/triangle.hpp"
#include "options.hpp"

namespace heddle::detail {

namespace ilu {

template <class View>
struct EliminateRow;
template <class View>
struct CholeskyRow;

template <template <class> class RowOf>
inline constexpr bool is_cholesky = false;
template <>
inline constexpr bool is_cholesky<CholeskyRow> = true;

/// Factors of a matrix with signed offsets and the solves with them, for any type that values are
/// stored in. StoredFactors documents each member.
template <ExecutionSpace Exec, class Matrix>
class AnyFactors {
 public:
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;
  using Storage = CsrStorage<S, typename Matrix::ordinal_type, typename Matrix::offset_type, Space>;
  using Word = Kokkos::View<const std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  virtual ~AnyFactors() = default;
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  virtual void execute(const Exec& exec, Triangle triangle, Op op, const Multivector<const S>& b,
                       const Multivector<S>& x) = 0;
  virtual Word bad_row() const = 0;
  virtual void check_values(const Exec& exec) const = 0;
  virtual double residual(const Exec& exec, const Matrix& A) const = 0;
  virtual Storage factors(const Exec& exec) const = 0;
  virtual double diagonal_growth() const = 0;
  virtual const Scheme& scheme() const = 0;
  virtual const Scheme& sptrsv_scheme(Triangle triangle, Op op) const = 0;
  virtual std::string explain() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual bool exact() const = 0;
};

/// Inspects and factors; waits for `exec`. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix, Scalar Stored, template <class> class RowOf>
std::unique_ptr<AnyFactors<Exec, Matrix>> make_factors(const Exec& exec, const Matrix& A,
                                                       const IluOptions& options);

}  // namespace ilu

/// The members that IluPlan and IcPlan share: factors by the rows of EliminateRow or CholeskyRow.
/// With options.retries update_values waits for `exec`. explain() has a part for each solve, as
/// that of SptrsvPlan. bytes() counts the factors, schedules and, except on CPUs, their copies in
/// the solves.
template <ExecutionSpace Exec, class Matrix, template <class> class RowOf>
class FactorPlan : public Plan<FactorPlan<Exec, Matrix, RowOf>, Exec, Matrix,
                               ilu::AnyFactors<Exec, SignedOffsets<Matrix>>> {
  using Signed = SignedOffsets<Matrix>;
  using Factors = ilu::AnyFactors<Exec, Signed>;
  using Form = Plan<FactorPlan, Exec, Matrix, Factors>;
  using S = typename Matrix::scalar_type;
  static constexpr bool cholesky = ilu::is_cholesky<RowOf>;

 public:
  static constexpr const char* class_name = cholesky ? "IcPlan" : "IluPlan";

  using Form::apply;  ///< without exec
  /// x = M b with M = (LU)^-1, or (L L^H)^-1. x is not read unless it is b; otherwise it does not
  /// overlap b. Both are of rank 1, or of rank 2 with equal numbers of vectors. Returns once the
  /// work is queued on `exec`: no allocation, no copy, no fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    apply(exec, Op::none, b, x);
  }
  /// x = op(M) b. Throws Error if the op of an IluPlan transposes and is not in options.ops.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, const B& b, const X& x) const {
    assert_vectors<Exec, S, B, X>();
    const auto solve = [&](Triangle triangle, Op of, const auto& from) {
      this->core("apply").execute(exec, triangle, of, multivector_of<const S>(from),
                                  multivector_of<S>(x));
    };
    if constexpr (cholesky) {  // the transpose of L, or its conjugate, is the other factor
      const bool conjugated = op == Op::conjugate || op == Op::transpose;
      solve(Triangle::lower, conjugated ? Op::conjugate : Op::none, b);
      solve(Triangle::lower, conjugated ? Op::transpose : Op::conjugate_transpose, x);
    } else {
      const Triangle first = transposes(op) ? Triangle::upper : Triangle::lower;
      solve(first, op, b);
      solve(triangle::flipped(first), op, x);
    }
  }

  /// The error of the factors: the Frobenius norm of A minus their product on the pattern, divided
  /// by that of A on the pattern. It is rounding, except for pivots that the floor raised and for
  /// sweeps. A is the matrix that was factored. Allocates, and waits for `exec`.
  double residual(const Exec& exec, const Matrix& A) const {
    return this->core("residual").residual(exec, with_signed_offsets(A));
  }
  /// L without its diagonal and U in one matrix, or L of a Cholesky factorization, with ascending
  /// columns; a copy (a CsrStorage). Allocates, and waits for `exec`.
  auto factors(const Exec& exec) const { return this->core("factors").factors(exec); }
  /// The alpha of A + alpha diag(A), the matrix that was factored: 0 except after options.retries.
  double diagonal_growth() const { return this->core("diagonal_growth").diagonal_growth(); }

 protected:
  FactorPlan() = default;
  FactorPlan(const Exec& exec, const Matrix& A, const IluOptions& options)
      : Form([&] {
          const Signed of = with_signed_offsets(A);
          auto factors =
              options.factor_values == FactorValues::same
                  ? ilu::make_factors<Exec, Signed, S, RowOf>(exec, of, options)
                  : ilu::make_factors<Exec, Signed, InFloat<S>, RowOf>(exec, of, options);
          exec.fence("heddle::ilu::inspected");
          return factors;
        }) {
    HEDDLE_ASSERT_DEFINED(is_defined<FactorPlan> || is_compiled<Exec, Signed>());
  }
};

}  // namespace heddle::detail
