// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rearrange.hpp"

/// Sums of matrices.
namespace heddle {

namespace detail {

inline void check_shapes(std::int64_t rows, std::int64_t columns, std::int64_t other_rows,
                         std::int64_t other_columns) {
  if (rows == other_rows && columns == other_columns) return;
  throw Error("A is " + std::to_string(rows) + " x " + std::to_string(columns) + " and B " +
                  std::to_string(other_rows) + " x " + std::to_string(other_columns),
              "give matrices of one shape");
}

/// The union of the patterns of A and map(B), whose entries of A come first; `twice`: B is A.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Map>
auto derive_union(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                  const CsrMatrix<S, O, Off, Space>& B, const Map& map, bool twice) {
  check_csr(exec, A);
  if (!twice) check_csr(exec, B);
  const auto ones = static_cast<std::int64_t>(A.nonzeros());
  const auto others = static_cast<std::int64_t>(B.nonzeros());
  return derive<S, Off>(exec, A.rows(), A.columns(), ones + others, {.add_up = true},
                        [&](O* row_of, O* column_of) {
                          list_entries(exec, A, row_of, column_of, 0, AsTheyAre());
                          list_entries(exec, B, row_of, column_of, ones, map);
                        });
}

/// one * A + other * map(B).
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Map>
DerivedCsr<Exec, S, O, Off> derive_sum(const Exec& exec, const Source<S>& one,
                                       const CsrMatrix<S, O, Off, Space>& A, const Source<S>& other,
                                       const CsrMatrix<S, O, Off, Space>& B, const Map& map,
                                       bool twice) {
  DerivedCsr<Exec, S, O, Off> sum(derive_union(exec, A, B, map, twice),
                                  static_cast<std::int64_t>(A.nonzeros()),
                                  static_cast<std::int64_t>(B.nonzeros()), one, other, twice);
  sum.update_values(exec, A, B);
  return sum;
}

}  // namespace detail

/// alpha * A + beta * B: an entry for each place where A or B has one, with ascending columns.
/// Repeated entries are added up first, those of A and of B separately. If a factor is 0, no value
/// of that matrix is read, and its places hold zeros.
///
/// Checks both, allocates, and waits for `exec`; new values need one pass (update_values(exec, A,
/// B), or with new factors). Throws Error if the shapes differ, or the type of offsets cannot hold
/// the sum of both numbers of entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> add(const Exec& exec, std::type_identity_t<S> alpha,
                                const CsrMatrix<S, O, Off, Space>& A, std::type_identity_t<S> beta,
                                const CsrMatrix<S, O, Off, Space>& B) {
  detail::check_shapes(A.rows(), A.columns(), B.rows(), B.columns());
  return detail::derive_sum(exec, detail::Source<S>{.factor = alpha}, A,
                            detail::Source<S>{.factor = beta}, B, detail::AsTheyAre(), false);
}

/// (A + A') / 2, or with Symmetry::hermitian (A + A*) / 2, with both triangles. They mirror each
/// other to the last bit, even if entries of A repeat. New values of A need one pass. Throws Error
/// if A is not square, or the type of offsets cannot hold twice its number of entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> symmetric_part(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                           Symmetry symmetry = Symmetry::symmetric) {
  detail::check_shapes(A.rows(), A.columns(), A.columns(), A.rows());
  const detail::Source<S> half{.factor = S(0.5)};
  detail::Source<S> mirrored = half;
  mirrored.conjugated = symmetry == Symmetry::hermitian;
  return detail::derive_sum(exec, half, A, mirrored, A, detail::Mirrored(), true);
}

}  // namespace heddle
