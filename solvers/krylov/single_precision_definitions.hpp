// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/loops.hpp"
#include "../../core/check_size.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../triangle/check_triangle.hpp"
#include "../vectors/definitions.hpp"
#include "single_precision.hpp"

/// Defines what single_precision.hpp declares.
namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<krylov::RoundedSystem<Exec, Matrix>> = true;

}  // namespace heddle::detail

namespace heddle::detail::krylov {

/// to = from times a power of two, in entry `row` of vector v for item i = v * rows + row: to
/// float, so that the norm becomes about 1, or from float, by the reciprocal of that power.
template <Scalar From, Scalar To>
struct RoundVectors {
  Multivector<const From> from;
  Multivector<To> to;
  const double* norms;  ///< of each vector in double

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows;
    const int vector = static_cast<int>(i / to.rows);
    const PowerOfTwo size = PowerOfTwo::below(norms[vector]);
    if constexpr (sizeof(To) < sizeof(From)) {
      to(row, vector) = rounded<To>(from(row, vector) * size.reciprocal);
    } else {
      to(row, vector) = rounded<To>(from(row, vector)) * size.value;
    }
  }
};

/// Rounds the values of a row to float: see RoundedSystem::round. Marks a row that float cannot
/// hold in *bad.
template <class Matrix>
struct RoundValues {
  using S = typename Matrix::scalar_type;
  using To = InFloat<S>;
  Matrix A;
  To* values;
  std::int64_t* bad;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double lost = 0;
    S whole(0);  // diagonal entry, the sum of repeated entries
    std::int64_t diagonal = -1;
    bool fits = true;
    const S* const from = A.values().data();
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const bool is_diagonal = static_cast<std::int64_t>(A.col_idx().data()[k]) == i;
      if (is_diagonal) whole += from[k];
      if (is_diagonal && diagonal < 0) {
        diagonal = k;
        continue;
      }
      values[k] = rounded<To>(from[k]);
      fits = fits && is_in_range(from[k], values[k]);
      lost += Kokkos::abs(from[k] - rounded<S>(values[k]));
    }
    if (diagonal >= 0) {
      const bool raise = static_cast<double>(real_part(whole)) > 0 && Kokkos::isfinite(lost);
      const S wanted = raise ? from[diagonal] + S(lost) : from[diagonal];
      To value = rounded<To>(wanted);
      if (raise && static_cast<double>(real_part(value)) < static_cast<double>(real_part(wanted))) {
        value += To(Kokkos::abs(value) * Kokkos::Experimental::epsilon_v<float>);
      }
      values[diagonal] = value;
      const double size = Kokkos::abs(whole);
      const bool vanishes = size > 0 && size < double{Kokkos::Experimental::norm_min_v<float>};
      fits = fits && !vanishes && is_in_range(from[diagonal], value);
    }
    if (!fits) triangle::mark_bad_row(bad, i);
  }

 private:
  KOKKOS_FUNCTION static bool is_in_range(const S& value, const To& in_float) {
    return Kokkos::isfinite(Kokkos::abs(in_float)) || !Kokkos::isfinite(Kokkos::abs(value));
  }
};

/// The message for values that float cannot hold.
inline constexpr triangle::DiagonalWords range_words = {
    "a value is too large for single precision, or the diagonal too small",
    "scale A, or keep the preconditioner in double"};

template <ExecutionSpace Exec, class Matrix>
RoundedSystem<Exec, Matrix>::RoundedSystem(const Exec& exec, const Matrix& A, int vectors)
    : rows_(A.rows()), columns_(A.columns()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
  check_csr(exec, A);
  memory_ = Arena<Space>(exec, "heddle::single_precision::values", arena_array(values_, nonzeros_),
                         arena_array(bad_, 1));
  workspace_ = VectorWorkspace<Exec, Wide<S>>(exec);
  reserve(exec, vectors);
}

template <ExecutionSpace Exec, class Matrix>
bool RoundedSystem<Exec, Matrix>::reserve(const Exec& exec, int vectors) {
  if (vectors <= room_) return false;
  const std::int64_t all = rows_ * vectors;
  vectors_ = Arena<Space>(exec, "heddle::single_precision::vectors", arena_array(b_, all),
                          arena_array(x_, all), arena_array(norms_, vectors));
  room_ = vectors;
  return true;
}

template <ExecutionSpace Exec, class Matrix>
auto RoundedSystem<Exec, Matrix>::round(const Exec& exec, const Matrix& A) -> Rounded {
  check_same_size("update_values", A, rows_, columns_, nonzeros_);
  fill(exec, "heddle::single_precision::clear", bad_, 1, 0);
  parallel_for(exec, "heddle::single_precision::round_values", rows_,
               RoundValues<Matrix>{A, values_, bad_});
  return Rounded(A.rows(), A.columns(), A.nonzeros(), A.row_ptr().data(), A.col_idx().data(),
                 values_);
}

template <ExecutionSpace Exec, class Matrix>
void RoundedSystem<Exec, Matrix>::check_values(const Exec& exec) const {
  const Kokkos::View<const std::int64_t, Space, Kokkos::MemoryUnmanaged> bad(bad_);
  triangle::check_bad_diagonal(exec, "heddle::single_precision::check_values", bad, range_words);
}

template <ExecutionSpace Exec, class Matrix>
void RoundedSystem<Exec, Matrix>::to_float(const Exec& exec, const Multivector<const S>& b,
                                           const Vectors& own) const {
  using Norms = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  heddle::vectors::passes::norm<false, true>(exec, "heddle::single_precision::norm", b, b,
                                             vectors::Factor<Wide<S>>(), workspace_,
                                             Norms(norms_, own.extent(1)));
  parallel_for(exec, "heddle::single_precision::to_float", b.rows * b.count,
               RoundVectors<S, To>{b, multivector_of<To>(own), norms_});
}

template <ExecutionSpace Exec, class Matrix>
void RoundedSystem<Exec, Matrix>::from_float(const Exec& exec, const Vectors& own,
                                             const Multivector<S>& x) const {
  parallel_for(exec, "heddle::single_precision::from_float", x.rows * x.count,
               RoundVectors<To, S>{multivector_of<const To>(own), x, norms_});
}

}  // namespace heddle::detail::krylov
