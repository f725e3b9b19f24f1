// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>

#include "../../core/features.hpp"
#include "../../core/matrix.hpp"
#include "../../core/promises.hpp"

/// What is asked of a pattern; definitions.hpp defines it, by headers of their own.
namespace heddle {

namespace detail {

/// Of a first row or entry where there is none.
inline constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

}  // namespace detail

/// What row_features looks at besides the row pointer.
enum class Check { rows, columns };

/// The row features of a matrix, and a check of its row pointer; with Check::columns, of its
/// column indices as well.
///
/// Throws Error, naming the row (and entry), where row_ptr does not start at 0, falls, or does not
/// end at the number of entries, or a column is out of range. One launch on `exec` and one
/// readback, which waits for `exec`; no allocation. Every figure is exact, row_variance to
/// rounding, and the same from run to run.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
RowFeatures row_features(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                         Check check = Check::rows);

/// Throws Error, naming row and entry, if a column index is out of range. One launch over the
/// entries and one readback, which waits for `exec`; no allocation. Assumes a row pointer that
/// row_features accepts.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_columns(const Exec& exec, const CsrPattern<O, Off, Space>& A);

/// All features of a matrix whose rows are known, and whose columns are known to be in range: those
/// of its rows, then those of the places of the entries.
///
/// Two launches with a readback each that waits for `exec`, and a workspace of one bit for each of
/// the rows + columns - 1 diagonals, in 4-byte words, on a GPU in up to 32 copies of 8 MB together,
/// allocated, cleared and freed. Every figure is exact and the same from run to run.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternFeatures pattern_features(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                                 const RowFeatures& rows);

/// The same of a matrix of which nothing is known: row_features first, with its checks of rows and
/// columns, which throw Error, and one launch and readback more.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternFeatures pattern_features(const Exec& exec, const CsrPattern<O, Off, Space>& A);

/// How many aligned blocks of height x width hold an entry of A, estimated from up to 4096 block
/// rows spread over the matrix; exact where there are no more. One launch and one readback, which
/// waits for `exec`; no allocation. Where columns do not ascend in a sampled row all blocks are
/// counted instead, with the workspace of recipe::Compact. A longest row that is known is cut into
/// parts.
///
/// Source of sampling: E.-J. Im, K. Yelick and R. Vuduc, "Sparsity: optimization framework for
/// sparse matrix kernels", IJHPCA 18, 2004.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
std::int64_t estimated_blocks(const Exec& exec, const CsrPattern<O, Off, Space>& A, int height,
                              int width, std::int64_t longest_row = 0);

/// What is known of a matrix whose rows have been looked at, and with Check::columns its columns
/// too, or somebody vouches for them; else a question about the pattern looks at them first. Refers
/// to `exec` and A, which live as long as questions are asked.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
Features features_of(const Exec& exec, const CsrPattern<O, Off, Space>& A, const RowFeatures& rows,
                     Check checked = Check::rows);

/// Throws Error, naming row and entry, where a matrix breaks a promise about its entries.
/// Assumes a row pointer that row_features accepts. A launch and a readback, which waits for
/// `exec`, for each promise that is made.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_promises(const Exec& exec, const CsrPattern<O, Off, Space>& A, const Promises& promises);

}  // namespace heddle
