// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernels_handle.hpp"

namespace heddle::detail::spiluk {

/// Throws Error if an array has less room than is needed.
inline void demand(const char* name, std::size_t is, std::size_t needed) {
  if (is >= needed) return;
  throw Error(std::string(name) + " has room for " + std::to_string(is) + " entries of " +
                  std::to_string(needed),
              "make it larger; estimates made for Kokkos Kernels may be too small");
}

}  // namespace heddle::detail::spiluk

namespace heddle::kk {

/// Computes the patterns of L and U, by levels of fill up to fill_level, on the default instance of
/// the handle's execution space: row maps of rows + 1 offsets, and ascending columns at the start
/// of L_entries and U_entries, whose numbers get_nnzL() and get_nnzU() of the handle return. The
/// diagonal is stored last in each row of L and first in each row of U. Columns of A may be in any
/// order, and repeated entries add up. Allocates, and waits.
///
/// Throws Error, naming the row, for an invalid row pointer or column and for a missing diagonal
/// entry; also if an array is too short for the factors.
template <class Handle, class ARowMap, class AEntries, class LRowMap, class LEntries, class URowMap,
          class UEntries>
  requires is_kernels_handle<Handle>
void spiluk_symbolic(Handle* handle, int fill_level, const ARowMap& A_row_map,
                     const AEntries& A_entries, const LRowMap& L_row_map, const LEntries& L_entries,
                     const URowMap& U_row_map, const UEntries& U_entries) {
  using detail::spiluk::demand;
  const typename Handle::HandleExecSpace exec;
  auto& spiluk = handle->spiluk_handle();
  const auto offsets = static_cast<std::size_t>(spiluk.get_nrows()) + 1;
  demand("L_row_map", L_row_map.extent(0), offsets);
  demand("U_row_map", U_row_map.extent(0), offsets);
  spiluk.inspect(exec, fill_level, A_row_map, A_entries, L_row_map.data(), U_row_map.data());
  demand("L_entries", L_entries.extent(0), static_cast<std::size_t>(spiluk.get_nnzL()));
  demand("U_entries", U_entries.extent(0), static_cast<std::size_t>(spiluk.get_nnzU()));
  spiluk.write_pattern(exec, L_row_map.data(), L_entries.data(), U_row_map.data(),
                       U_entries.data());
}

/// Computes the values of L, with ones on its diagonal, and U from those of A. The patterns of A, L
/// and U are those of spiluk_symbolic. Queued on the default instance of the handle's execution
/// space: no allocation, no copy, no fence. Pivots stay as they are: a zero gives infinities and
/// NaN, as in Kokkos Kernels. Throws Error before spiluk_symbolic, if an array is too short, if the
/// number of entries differs and, in debug builds (without NDEBUG), which wait, if the pattern
/// differs.
template <class Handle, class ARowMap, class AEntries, class AValues, class LRowMap, class LEntries,
          class LValues, class URowMap, class UEntries, class UValues>
  requires is_kernels_handle<Handle>
void spiluk_numeric(Handle* handle, int /*fill_level*/, const ARowMap& A_row_map,
                    const AEntries& A_entries, const AValues& A_values, const LRowMap& L_row_map,
                    const LEntries&, const LValues& L_values, const URowMap& U_row_map,
                    const UEntries&, const UValues& U_values) {
  using detail::spiluk::demand;
  const typename Handle::HandleExecSpace exec;
  auto& spiluk = handle->spiluk_handle();
  demand("L_values", L_values.extent(0), static_cast<std::size_t>(spiluk.get_nnzL()));
  demand("U_values", U_values.extent(0), static_cast<std::size_t>(spiluk.get_nnzU()));
  spiluk.factor(exec, A_row_map, A_entries, A_values, L_row_map.data(), L_values.data(),
                U_row_map.data(), U_values.data());
}

namespace Experimental {
using kk::spiluk_numeric;
using kk::spiluk_symbolic;
using kk::SPILUKAlgorithm;
using kk::SPILUKHandle;
}  // namespace Experimental

}  // namespace heddle::kk
