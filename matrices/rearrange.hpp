// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "derive.hpp"

/// Matrices with the same entries in another order: transposes, sorted rows, repeats added up. Each
/// function checks A (Error, naming row and entry), allocates, and waits for `exec`; new values of
/// A need one pass.
namespace heddle {

namespace detail {

struct AsTheyAre {
  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O&, O&) const {}
};

struct Mirrored {
  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    const O i = row;
    row = column;
    column = i;
  }
};

/// op(A), as by transpose(); with `add_up` repeated entries are added up; checks A if `check`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> stored_op(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, Op op,
                                      bool add_up, bool check) {
  const Listing listing{.add_up = add_up, .columns_ascend = transposes(op), .check = check};
  const Source<S> source{.conjugated = conjugates(op)};
  return transposes(op) ? derive_from(exec, A, A.columns(), A.rows(), listing, Mirrored(), source)
                        : derive_from(exec, A, A.rows(), A.columns(), listing, AsTheyAre(), source);
}

}  // namespace detail

/// op(A), stored. In a transpose the columns of each row ascend, and repeated entries keep their
/// order.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> transpose(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                      Op op = Op::transpose) {
  return detail::stored_op(exec, A, op, false, true);
}

/// A with ascending columns in each row; repeated entries stay separate, in their order.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> sort_rows(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  return detail::derive_from(exec, A, A.rows(), A.columns(), {}, detail::AsTheyAre());
}

/// A with ascending columns in each row and repeated entries added up, in their order.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> add_up_repeats(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  return detail::derive_from(exec, A, A.rows(), A.columns(), {.add_up = true}, detail::AsTheyAre());
}

}  // namespace heddle
