// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"

namespace heddle {

/// Lengths of rows, as far as a caller without a plan knows them.
enum class RowLengths {
  alike,   ///< most rows are about as long as the mean
  differ,  ///< some are many times as long
};

namespace detail::csr {

/// Argument of is_defined for apply_without_plan.
template <class V>
struct WithoutPlanKernels;

/// y = alpha * op(A) * x + beta * y without inspection, with sums kept in the type of the vectors.
/// Uses csr/merge,search=apply if row lengths differ, and on a GPU also if they do not but it costs
/// less than csr/subwarp (few long rows); else csr/subwarp or csr/scalar.
template <Scalar V, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void apply_without_plan(const Exec& exec, Op op, V alpha, const CsrMatrix<S, O, Off, Space>& A,
                        const Multivector<const V>& x, V beta, const Multivector<V>& y,
                        RowLengths lengths);

}  // namespace detail::csr

}  // namespace heddle
