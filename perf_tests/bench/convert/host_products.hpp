// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on the host by what a conversion left on the device: plain loops, for verification.
#pragma once

#include "problem.hpp"

namespace heddle::bench {

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// y = T' x for problem.y and problem.x, where T is a stored transpose of the problem's matrix.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_transpose(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                          const ColIdx& col_idx, const Values& values) {
  exec.fence("heddle::bench::converted");
  const auto begin = on_host(row_ptr);
  const auto columns = on_host(col_idx);
  const auto entries = on_host(values);
  const auto x = on_host(problem.x);
  const auto y = Kokkos::create_mirror(Kokkos::HostSpace(), problem.y);
  Kokkos::deep_copy(y, 0);
  for (std::size_t row = 0; row + 1 < begin.extent(0); ++row) {
    for (auto k = begin(row); k < begin(row + 1); ++k) y(columns(k)) += entries(k) * x(row);
  }
  Kokkos::deep_copy(problem.y, y);
}

/// y = B x for problem.y and problem.x, where B has blocks of block x block, row by row each; what
/// they hold beyond the matrix must be zero.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_blocks(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                       const ColIdx& col_idx, const Values& values) {
  exec.fence("heddle::bench::converted");
  const auto begin = on_host(row_ptr);
  const auto columns = on_host(col_idx);
  const auto entries = on_host(values);
  const auto x = on_host(problem.x);
  const auto y = Kokkos::create_mirror(Kokkos::HostSpace(), problem.y);
  Kokkos::deep_copy(y, 0);
  const auto block = static_cast<std::size_t>(problem.block);
  using S = typename decltype(y)::value_type;
  for (std::size_t i = 0; i < y.extent(0); ++i) {
    for (auto b = begin(i / block); b < begin(i / block + 1); ++b) {
      const auto first = static_cast<std::size_t>(columns(b)) * block;
      for (std::size_t j = 0; j < block; ++j) {
        const S entry = entries((static_cast<std::size_t>(b) * block + i % block) * block + j);
        if (first + j < x.extent(0)) y(i) += entry * x(first + j);
      }
    }
  }
  Kokkos::deep_copy(problem.y, y);
}

}  // namespace heddle::bench
