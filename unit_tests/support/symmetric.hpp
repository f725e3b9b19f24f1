// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The full matrix of a matrix that stores one triangle.
#pragma once

#include "../../testing/format_suite/check.hpp"

namespace heddle::test {

template <class S>
S without_imaginary_part(const S& value) {
  if constexpr (is_complex<S>) return S(value.real());
  return value;
}

/// Both triangles, from one. The imaginary part of a Hermitian matrix's diagonal is ignored.
template <class D>
typename D::Host both_triangles(const typename D::Host& half, Symmetry symmetry) {
  using S = typename D::S;
  const bool hermitian = symmetry == Symmetry::hermitian;
  std::vector<std::vector<std::pair<std::size_t, S>>> rows(static_cast<std::size_t>(half.rows()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto k = half.row_ptr()(i); k < half.row_ptr()(i + 1); ++k) {
      const auto e = static_cast<std::size_t>(k);
      const auto j = static_cast<std::size_t>(half.col_idx()(e));
      const S value = half.values()(e);
      if (i == j) {
        rows[i].emplace_back(i, hermitian ? without_imaginary_part(value) : value);
      } else {
        rows[i].emplace_back(j, value);
        rows[j].emplace_back(i, hermitian ? conjugate(value) : value);
      }
    }
  }
  std::vector<std::int64_t> row_ptr{0};
  std::vector<std::size_t> col_idx;
  std::vector<S> values;
  for (const auto& row : rows) {
    for (const auto& [j, value] : row) {
      col_idx.push_back(j);
      values.push_back(value);
    }
    row_ptr.push_back(std::ssize(values));
  }
  return host_matrix<S, typename D::O, typename D::Off>(half.columns(), row_ptr, col_idx,
                                                        [&](std::size_t k) { return values[k]; });
}

}  // namespace heddle::test
