// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>

#include "../../core/features.hpp"
#include "../../core/matrix.hpp"

/// Features and checks of a matrix's pattern; definitions.hpp defines them.
namespace heddle {

namespace detail {

/// The index of a first row or entry that does not exist.
inline constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

}  // namespace detail

/// Checks of row_features: of the row pointer alone, or of the columns too.
enum class Check { rows, columns };

/// The row features of a matrix, and a check of its row pointer; with Check::columns also of its
/// column indices.
///
/// Throws Error, naming the row (and entry), if row_ptr does not start at 0, decreases, or does not
/// end at the number of entries, or a column is out of range. One launch on `exec` and one
/// readback, which waits for `exec`; no allocation. Features are exact, row_variance up to
/// rounding, and the same on every run.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
RowFeatures row_features(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                         Check check = Check::rows);

/// The checks of row_features with Check::columns alone: throws the same Errors. One launch and one
/// readback, which waits for `exec`; no allocation.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_csr(const Exec& exec, const CsrPattern<O, Off, Space>& A);

/// Throws Error, naming row and entry, if a column index is out of range. One launch over the
/// entries and one readback, which waits for `exec`; no allocation. Assumes a row pointer that
/// row_features accepts.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_columns(const Exec& exec, const CsrPattern<O, Off, Space>& A);

/// All features of a matrix whose row features are known and whose columns are known to be in
/// range.
///
/// Two launches, each with a readback that waits for `exec`. Workspace, allocated, cleared and
/// freed: one bit for each of the rows + columns - 1 diagonals, in 4-byte words; on a GPU up to 32
/// copies of it, 8 MB together. Features are exact and the same on every run.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternFeatures pattern_features(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                                 const RowFeatures& rows);

/// All features of a matrix of which nothing is known: calls row_features first, with its checks of
/// rows and columns, which throw Error; one more launch and readback.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternFeatures pattern_features(const Exec& exec, const CsrPattern<O, Off, Space>& A);

/// Number of aligned blocks of height x width that hold an entry of A, estimated from up to 4096
/// block rows spread over the matrix; exact if there are no more. One launch and one readback,
/// which waits for `exec`; no allocation. If columns do not ascend in a sampled row, all blocks are
/// counted instead, with the workspace of recipe::Compact. If the longest row is known it is cut
/// into parts.
///
/// Source of sampling: E.-J. Im, K. Yelick and R. Vuduc, "Sparsity: optimization framework for
/// sparse matrix kernels", IJHPCA 18, 2004.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
std::int64_t estimated_blocks(const Exec& exec, const CsrPattern<O, Off, Space>& A, int height,
                              int width, std::int64_t longest_row = 0);

/// The features of a matrix whose rows were checked. With Check::columns its columns were checked
/// or are guaranteed to be in range; otherwise the first use of a pattern feature checks them.
/// Borrows the arrays of A, which must live as long as the features are used.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
Features features_of(const Exec& exec, const CsrPattern<O, Off, Space>& A, const RowFeatures& rows,
                     Check checked = Check::rows);

/// Throws Error, naming row and entry, if a matrix breaks a promise about its entries. Assumes a
/// row pointer that row_features accepts. A launch and a readback, which waits for `exec`, for each
/// promise that is made.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_promises(const Exec& exec, const CsrPattern<O, Off, Space>& A, const Promises& promises);

}  // namespace heddle
