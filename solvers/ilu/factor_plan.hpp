// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/real_part.hpp"
#include "../../core/version.hpp"
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

/// Factors of a matrix of signed offsets and the solves with them, whatever their values are stored
/// in. StoredFactors says what each does.
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

/// Common parts of IluPlan and IcPlan: factors by the rows of EliminateRow or CholeskyRow.
template <ExecutionSpace Exec, class Matrix, template <class> class RowOf>
class FactorPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// Factors A again, which has the inspected pattern. Ordered on `exec`: no wait, no allocation;
  /// with options.retries it waits for `exec`. Throws Error if the sizes differ and, with
  /// options.check_pattern, which waits, if the patterns do. A bad pivot is not an error here: see
  /// bad_row and check_values.
  void update_values(const Exec& exec, const Matrix& A) {
    factors_of("update_values").update_values(exec, with_signed_offsets(A));
    version_.renew();
  }
  void update_values(const Matrix& A) { update_values(Exec{}, A); }

  /// A number on the device, valid in the order of the instance that factored last: 0, or one more
  /// than the lowest row whose pivot is bad. With such a row an apply gives infinities or NaN.
  auto bad_row() const { return factors_of("bad_row").bad_row(); }
  /// Throws Error, naming the row of bad_row, if there is one. Waits for `exec`.
  void check_values(const Exec& exec) const { factors_of("check_values").check_values(exec); }
  void check_values() const { check_values(Exec{}); }
  /// The error of the factors: the Frobenius norm of A minus their product on the pattern, over
  /// that of A on the pattern. It is rounding, except for pivots that the floor raised and for
  /// sweeps. A is the matrix that was factored. Allocates, and waits for `exec`.
  double residual(const Exec& exec, const Matrix& A) const {
    return factors_of("residual").residual(exec, with_signed_offsets(A));
  }

  /// The interface of a preconditioner for solvers.
  static constexpr bool takes_several_vectors = true;
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;

  /// L without its diagonal and U in one matrix, or L of a Cholesky factorization, with ascending
  /// columns; a copy (a CsrStorage). Allocates, and waits for `exec`.
  auto factors(const Exec& exec) const { return factors_of("factors").factors(exec); }
  /// The alpha of A + alpha diag(A), the matrix that was factored: 0 except after options.retries.
  double diagonal_growth() const { return factors_of("diagonal_growth").diagonal_growth(); }
  /// The scheme that the factorization runs.
  const Scheme& scheme() const { return factors_of("scheme").scheme(); }
  /// That scheme, and for each solve the reasons of its scheme, as SptrsvPlan::explain: text of
  /// several lines.
  std::string explain() const { return factors_of("explain").explain(); }
  /// Seconds spent on the inspection and the first factorization.
  double setup_seconds() const {
    factors_of("setup_seconds");
    return setup_seconds_;
  }
  /// Device memory that the plan holds beyond the matrix, in bytes: the factors, schedules and,
  /// except on CPUs, copies of the factors in the solves.
  std::size_t bytes() const { return factors_of("bytes").bytes(); }

 protected:
  using Signed = SignedOffsets<Matrix>;
  using Factors = ilu::AnyFactors<Exec, Signed>;

  FactorPlan() : moves_(made_empty) {}
  FactorPlan(const Exec& exec, const Signed& A, const IluOptions& options) {
    const Kokkos::Timer timer;
    factors_ = options.factor_values == FactorValues::same
                   ? ilu::make_factors<Exec, Signed, scalar_type, RowOf>(exec, A, options)
                   : ilu::make_factors<Exec, Signed, InFloat<scalar_type>, RowOf>(exec, A, options);
    exec.fence("heddle::ilu::inspected");
    setup_seconds_ = timer.seconds();
  }

  /// x = op(T)^-1 b, where T is a factor: of Cholesky factors L, or L^H by its transpose.
  template <VectorView B, WritableVectorView X>
  void solve(const Exec& exec, Triangle triangle, Op op, const B& b, const X& x) const {
    static_assert(std::same_as<typename B::non_const_value_type, scalar_type> &&
                      std::same_as<typename X::value_type, scalar_type>,
                  "b and x hold the matrix's scalar");
    static_assert(
        Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename B::memory_space>::accessible &&
            Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible,
        "b or x lies in a memory space that the execution space cannot reach");
    factors_of("apply").execute(exec, triangle, op, multivector_of<const scalar_type>(b),
                                multivector_of<scalar_type>(x));
  }
  /// Throws Error if the plan is empty.
  Factors& factors_of(const char* called) const {
    moves_.check(ilu::is_cholesky<RowOf> ? "IcPlan" : "IluPlan", called);
    return *factors_;
  }

 private:
  MoveOnly moves_;
  std::unique_ptr<Factors> factors_;
  double setup_seconds_ = 0;
  Version version_;
};

}  // namespace heddle::detail
