// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/real_part.hpp"
#include "../triangle/triangle.hpp"
#include "options.hpp"

namespace heddle::detail {

namespace ilu {

template <class View>
struct EliminateRow;
template <class View>
struct CholeskyRow;
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
class KeptFactors;

/// What S is in float: in which factors of double may be kept.
template <Scalar S>
using InFloat = std::conditional_t<is_complex<S>, Kokkos::complex<float>, float>;

/// Whether the compiled part keeps factors of S so.
template <Scalar S, Scalar Kept>
inline constexpr bool keeps_compiled = std::same_as<Kept, S> || std::same_as<Kept, InFloat<S>>;

}  // namespace ilu

/// What IluPlan and IcPlan do, for a matrix of signed offsets, by the rows of EliminateRow or
/// CholeskyRow: KeptFactors, of which nothing is read here. Defined in definitions.hpp.
template <ExecutionSpace Exec, class Matrix, Scalar Kept, template <class> class RowOf>
class FactorsCore {
 public:
  using S = typename Matrix::scalar_type;
  using Space = typename Exec::memory_space;
  using Storage =
      CsrStorage<Kept, typename Matrix::ordinal_type, typename Matrix::offset_type, Space>;
  using Word = Kokkos::View<const std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  FactorsCore(const Exec& exec, const Matrix& A, const IluOptions& options);
  FactorsCore(FactorsCore&&) noexcept;
  FactorsCore& operator=(FactorsCore&&) noexcept;
  ~FactorsCore();

  void factor(const Exec& exec, const Matrix& A);
  /// x = op(T)^-1 b, where T is a factor: of Cholesky factors L, or L^H by its transpose.
  template <VectorView B, WritableVectorView X>
  void solve(const Exec& exec, Triangle triangle, Op op, const B& b, const X& x) {
    static_assert(std::same_as<typename B::non_const_value_type, S> &&
                      std::same_as<typename X::value_type, S>,
                  "b and x hold the matrix's scalar");
    static_assert(
        Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename B::memory_space>::accessible &&
            Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible,
        "b or x lies in a memory space that the execution space cannot reach");
    execute(exec, triangle, op, multivector_of<const S>(b), multivector_of<S>(x));
  }
  void execute(const Exec& exec, Triangle triangle, Op op, const Multivector<const S>& b,
               const Multivector<S>& x);

  Word bad_pivot() const;
  void check_pivots(const Exec& exec) const;
  double residual(const Exec& exec, const Matrix& A) const;
  Storage factors(const Exec& exec) const;
  double diagonal_growth() const;
  const Scheme& scheme() const;
  const Scheme& sptrsv_scheme(Triangle triangle, Op op) const;
  double setup_seconds() const { return setup_seconds_; }
  std::size_t bytes() const;
  /// Whether they are those that are sought, but for rounding.
  bool exact() const { return exact_; }

 private:
  using Factors = ilu::KeptFactors<Exec, Matrix, Kept, RowOf>;
  /// Throws Error if they were moved from.
  Factors& kept(const char* called) const;

  MoveOnly moves_;
  std::unique_ptr<Factors> kept_;
  bool exact_ = true;
  double setup_seconds_ = 0;
};

}  // namespace heddle::detail
