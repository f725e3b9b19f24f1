// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "pattern.hpp"
#include "recipe/repeats.hpp"
#include "row_features.hpp"

namespace heddle {

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_promises(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                    const Promises& promises) {
  const auto broken = [](const char* promise, const std::string& problem, const Where& where,
                         const char* remedy) {
    return Error(std::string("promises.") + promise + " is broken: " + problem, where,
                 std::string(remedy) + ", or do not make the promise");
  };
  if (promises.in_range) {
    try {
      check_columns(exec, A);
    } catch (const Error& error) {
      throw broken("in_range", error.problem(), error.where(), "let columns be in range");
    }
  }
  const auto as_they_are = recipe::shift(0);
  using Map = std::remove_const_t<decltype(as_they_are)>;
  using Pattern = CsrPattern<O, Off, Space>;
  if (promises.sorted) {
    const recipe::Entries<Pattern, Map> entries(A, as_they_are);
    const std::int64_t entry =
        recipe::entry_order(exec, entries, static_cast<std::int64_t>(A.nonzeros())).disorder;
    if (entry != recipe::no_key) {
      const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr());
      const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.col_idx());
      const auto k = static_cast<std::size_t>(entry);
      const std::int64_t row =
          first_row_from(row_ptr.data(), std::int64_t{A.rows()}, static_cast<Off>(k + 1)) - 1;
      throw broken("sorted",
                   "column " + std::to_string(columns(k)) + " comes after column " +
                       std::to_string(columns(k - 1)),
                   Where{.row = row, .entry = entry}, "sort the columns of each row");
    }
  }
}

}  // namespace heddle
