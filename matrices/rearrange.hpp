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

struct KeepAll {
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t, std::int64_t, std::int64_t) const {
    return true;
  }
};

struct Mirrored {
  template <class O>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    const O i = row;
    row = column;
    column = i;
  }
};

/// The transpose of A, with its values by `source`. On a CPU entries move to their places once,
/// with their values.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> derive_transpose(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                             const Listing& listing, const Source<S>& source) {
  if constexpr (backends::runs_on_host<Exec>) {
    if (listing.check) check_csr(exec, A);
    const auto entries = static_cast<std::int64_t>(A.nonzeros());
    Derivation<S, O, Off, typename Exec::memory_space> made(exec, A.columns(), A.rows(), entries);
    const EntriesByColumn<O, Off> from{A.row_ptr().data(), A.col_idx().data(), A.rows()};
    const CountingSort<Exec, Off> by_column(exec, entries, A.columns());
    by_column.count(exec, from, made.storage.row_ptr().data());
    by_column.move(exec, from, put_entry(made, A.values().data(), source));
    exec.fence("heddle::matrix::transposed");
    const bool merged = listing.add_up && merge_repeats(exec, made);
    DerivedCsr<Exec, S, O, Off> transposed(std::move(made), entries, 0, source, {}, false);
    if (merged) transposed.update_values(exec, A);
    return transposed;
  } else {
    return derive_from(exec, A, A.columns(), A.rows(), listing, Mirrored(), source);
  }
}

/// op(A), as by transpose(); with `add_up` repeated entries are added up; checks A if `check`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> stored_op(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, Op op,
                                      bool add_up, bool check) {
  const Listing listing{.add_up = add_up, .columns_ascend = transposes(op), .check = check};
  const Source<S> source{.conjugated = conjugates(op)};
  return transposes(op) ? derive_transpose(exec, A, listing, source)
                        : derive_kept(exec, A, listing, KeepAll(), source);
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
  return detail::derive_kept(exec, A, {}, detail::KeepAll());
}

/// A with ascending columns in each row and repeated entries added up, in their order.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> add_up_repeats(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  return detail::derive_kept(exec, A, {.add_up = true}, detail::KeepAll());
}

}  // namespace heddle
