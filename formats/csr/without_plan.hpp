// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"

namespace heddle {

/// What a caller without a plan knows of the lengths of rows.
enum class RowLengths {
  alike,   ///< most rows are about as long as the mean
  differ,  ///< some are many times as long
};

namespace detail::csr {

/// What is_defined is asked of apply_without_plan.
template <class V>
struct WithoutPlanKernels;

/// y = alpha * op(A) * x + beta * y without inspection, sums kept in the type of the vectors: by
/// csr/merge,search=apply where rows are said to differ, and on a GPU also where it costs less than
/// csr/subwarp even if they do not (few long rows); else by csr/subwarp or csr/scalar.
template <Scalar V, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void apply_without_plan(const Exec& exec, Op op, V alpha, const CsrMatrix<S, O, Off, Space>& A,
                        const Multivector<const V>& x, V beta, const Multivector<V>& y,
                        RowLengths lengths);

}  // namespace detail::csr

}  // namespace heddle
