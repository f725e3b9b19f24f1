// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pattern.hpp"

namespace heddle::detail::ilu {

/// The values of a row of A in the places of the pattern: entries that repeat a place add up in the
/// order of the row, fill is zero. Of a matrix of another pattern these are some numbers, but none
/// is read outside of A's row, and none written outside of the `size` of the pattern's.
template <Scalar S, Ordinal O, Offset Off>
struct LoadRow {
  const Off* row_ptr;
  const S* from;
  const Off* place;  ///< FactorPattern::place()

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, O size, S* to) const {
    const Off begin = row_ptr[i], end = row_ptr[i + 1];
    if (!place) {
      const auto stored = static_cast<std::int64_t>(end) - static_cast<std::int64_t>(begin);
      for (O k = 0; k < size; ++k) {
        to[k] = static_cast<std::int64_t>(k) < stored ? from[begin + static_cast<Off>(k)] : S(0);
      }
      return;
    }
    for (O k = 0; k < size; ++k) to[k] = S(0);
    for (Off k = begin; k < end; ++k) {  // FindPlaces::nowhere is more than any size
      if (static_cast<std::uint64_t>(place[k]) < static_cast<std::uint64_t>(size)) {
        to[place[k]] += from[k];
      }
    }
  }
};
template <Scalar S, Ordinal O, Offset Off>
struct LoadRows {
  LoadRow<S, O, Off> load;
  const Off* row_ptr;
  S* to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    load(i, static_cast<O>(row_ptr[i + 1] - row_ptr[i]), to + row_ptr[i]);
  }
};

template <class Matrix, class Pattern>
auto load_row(const Matrix& A, const Pattern& pattern) {
  return LoadRow<typename Matrix::scalar_type, typename Matrix::ordinal_type,
                 typename Matrix::offset_type>{A.row_ptr().data(), A.values().data(),
                                               pattern.place()};
}

/// use(n, loop), where loop(i) for each i < n writes the values of A in the places of a pattern,
/// which is that of the view, unless it forgot it.
template <class Matrix, class Exec, class O, class Off, class Use>
void with_values(const Matrix& A, const FactorPattern<Exec, O, Off>& pattern,
                 const PatternView<O, Off>& view, typename Matrix::scalar_type* to,
                 const Use& use) {
  using S = typename Matrix::scalar_type;
  if (!pattern.place() && view.entries == static_cast<std::int64_t>(A.nonzeros())) {
    use(view.entries, Copy<S>{to, A.values().data()});
  } else {
    use(view.rows, LoadRows<S, O, Off>{load_row(A, pattern), view.row_ptr, to});
  }
}

/// to[k] = from[k], rounded where To is narrower.
template <Scalar To, Scalar From>
struct ConvertValues {
  const From* from;
  To* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if constexpr (is_complex<From>) {
      using Real = heddle::RealOf<To>;
      to[k] = To(static_cast<Real>(from[k].real()), static_cast<Real>(from[k].imag()));
    } else {
      to[k] = static_cast<To>(from[k]);
    }
  }
};

}  // namespace heddle::detail::ilu
