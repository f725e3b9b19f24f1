// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on the host with the result of a conversion, by plain loops, for verification.
#pragma once

#include "problem.hpp"

namespace heddle::bench {

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Waits for a conversion and copies its arrays and x to the host; calls add_to(y, row_ptr,
/// col_idx, values, x) on the host with y zero; then copies y to problem.y.
template <class Problem, class RowPtr, class ColIdx, class Values, class AddTo>
void product_on_host(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                     const ColIdx& col_idx, const Values& values, const AddTo& add_to) {
  exec.fence("heddle::bench::converted");
  const auto y = Kokkos::create_mirror(Kokkos::HostSpace(), problem.y);
  Kokkos::deep_copy(y, 0);
  add_to(y, on_host(row_ptr), on_host(col_idx), on_host(values), on_host(problem.x));
  Kokkos::deep_copy(problem.y, y);
}

/// y = C x for problem.y and problem.x.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_rows(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                     const ColIdx& col_idx, const Values& values) {
  product_on_host(exec, problem, row_ptr, col_idx, values,
                  [](const auto& y, const auto& begin, const auto& columns, const auto& entries,
                     const auto& x) {
                    for (std::size_t row = 0; row + 1 < begin.extent(0); ++row) {
                      for (auto k = begin(row); k < begin(row + 1); ++k)
                        y(row) += entries(k) * x(columns(k));
                    }
                  });
}

/// y = T' x for problem.y and problem.x, where T is a stored transpose of the problem's matrix.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_transpose(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                          const ColIdx& col_idx, const Values& values) {
  product_on_host(exec, problem, row_ptr, col_idx, values,
                  [](const auto& y, const auto& begin, const auto& columns, const auto& entries,
                     const auto& x) {
                    for (std::size_t row = 0; row + 1 < begin.extent(0); ++row) {
                      for (auto k = begin(row); k < begin(row + 1); ++k)
                        y(columns(k)) += entries(k) * x(row);
                    }
                  });
}

/// y = B x for problem.y and problem.x, where B has blocks of block x block, each stored by rows.
/// Entries of a block beyond the edges of the matrix must be zero.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_blocks(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                       const ColIdx& col_idx, const Values& values) {
  const auto block = static_cast<std::size_t>(problem.block);
  product_on_host(exec, problem, row_ptr, col_idx, values,
                  [block](const auto& y, const auto& begin, const auto& columns,
                          const auto& entries, const auto& x) {
                    for (std::size_t i = 0; i < y.extent(0); ++i) {
                      for (auto b = begin(i / block); b < begin(i / block + 1); ++b) {
                        const auto first = static_cast<std::size_t>(columns(b)) * block;
                        const auto row = (static_cast<std::size_t>(b) * block + i % block) * block;
                        for (std::size_t j = 0; j < block; ++j) {
                          if (first + j < x.extent(0)) y(i) += entries(row + j) * x(first + j);
                        }
                      }
                    }
                  });
}

}  // namespace heddle::bench
