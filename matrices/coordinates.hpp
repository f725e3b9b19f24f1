// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../backends/algorithms/lowest_where.hpp"
#include "../backends/algorithms/transpose.hpp"
#include "rearrange.hpp"

/// Matrices from and to triplets of row, column and value.
namespace heddle {

namespace detail {

template <Ordinal O, class Rows, class Columns>
struct ListTriplets {
  Rows rows;
  Columns columns;
  O* row_of;
  O* column_of;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    row_of[k] = static_cast<O>(rows(k));
    column_of[k] = static_cast<O>(columns(k));
  }
};

template <class Rows, class Columns>
struct TripletIsOutside {
  Rows row_of;
  Columns column_of;
  std::int64_t rows, columns;

  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    const auto i = static_cast<std::int64_t>(row_of(k));
    const auto j = static_cast<std::int64_t>(column_of(k));
    return i < 0 || i >= rows || j < 0 || j >= columns;
  }
};

}  // namespace detail

/// The matrix of triplets in any order: entry k is at (row_of(k), column_of(k)) and has the value
/// values(k). Repeated triplets are added up, in their order. The arguments are Views of rank 1
/// that `exec` can access, of any strides. Off is the type of offsets: assemble<std::int64_t>(...)
/// for 2^31 triplets and more.
///
/// Allocates, and waits for `exec`; new values of the same triplets need one pass
/// (update_values(exec, values)). Throws Error, naming the triplet, if one is out of range.
template <Offset Off = int, ExecutionSpace Exec, std::integral Rows, std::integral Columns,
          class RowOf, class ColumnOf, VectorView Values>
  requires(Kokkos::is_view_v<RowOf> && Kokkos::is_view_v<ColumnOf>)
auto assemble(const Exec& exec, Rows rows, Columns columns, const RowOf& row_of,
              const ColumnOf& column_of, const Values& values) {
  using S = typename Values::non_const_value_type;
  using O = typename RowOf::non_const_value_type;
  const auto m = detail::matrix_size<O>(rows, "rows");
  const auto n = detail::matrix_size<O>(columns, "columns");
  const auto count = static_cast<std::int64_t>(values.extent(0));
  if (row_of.extent(0) != values.extent(0) || column_of.extent(0) != values.extent(0)) {
    throw Error("triplets have " + std::to_string(row_of.extent(0)) + " rows, " +
                    std::to_string(column_of.extent(0)) + " columns and " + std::to_string(count) +
                    " values",
                "give equally many");
  }
  const std::int64_t first =
      detail::lowest_where(exec, "heddle::matrix::check_triplets", count,
                           detail::TripletIsOutside<RowOf, ColumnOf>{
                               row_of, column_of, std::int64_t{m}, std::int64_t{n}});
  if (first < count) {
    const auto at = [&](const auto& view) {
      const auto k = static_cast<std::size_t>(first);
      const auto one = Kokkos::create_mirror_view_and_copy(
          Kokkos::HostSpace(), Kokkos::subview(view, std::pair(k, k + 1)),
          "heddle::matrix::bad_entry");
      return std::to_string(one(0));
    };
    throw Error("row " + at(row_of) + ", column " + at(column_of) + " of a triplet is outside " +
                    std::to_string(m) + " x " + std::to_string(n),
                Where{.entry = first}, "count rows and columns from 0");
  }
  auto made =
      detail::derive<S, Off>(exec, m, n, count, {.add_up = true}, [&](O* to_row, O* to_column) {
        detail::parallel_for(
            exec, "heddle::matrix::list_triplets", count,
            detail::ListTriplets<O, RowOf, ColumnOf>{row_of, column_of, to_row, to_column});
      });
  DerivedCsr<Exec, S, O, Off> assembled(std::move(made), count, 0, {}, {}, false);
  assembled.update_values(exec, values);
  return assembled;
}

/// The row of each entry of A; with A.col_idx() and A.values() these are its triplets. row_of has
/// one element for each entry, and any stride. One launch in the order of `exec`: no wait, no
/// allocation. Throws Error if the length differs.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space, class RowOf>
  requires(Kokkos::is_view_v<RowOf>)
void row_of_entries(const Exec& exec, const CsrPattern<O, Off, Space>& A, const RowOf& row_of) {
  static_assert(std::same_as<typename RowOf::value_type, O>, "an ordinal for each entry");
  if (row_of.extent(0) != static_cast<std::size_t>(A.nonzeros())) {
    throw Error("row_of has " + std::to_string(row_of.extent(0)) + " elements, and the matrix " +
                    std::to_string(A.nonzeros()) + " entries",
                "give it one for each entry");
  }
  detail::each_entry(exec, "heddle::matrix::row_of", A.row_ptr().data(), A.rows(),
                     static_cast<std::int64_t>(A.nonzeros()), detail::PutRow<O, RowOf>{row_of});
}

}  // namespace heddle
