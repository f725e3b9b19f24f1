// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../core/types.hpp"
#include "../../core/words.hpp"

namespace heddle {

/// Entries of a sparse matrix in coordinates, in any order; a place may occur more than once. Three
/// arrays of the same length that `Space` reaches.
template <Scalar S, Ordinal O, MemorySpace Space>
struct Ratings {
  std::int64_t rows = 0, columns = 0;
  Kokkos::View<const O*, Space> row = {}, column = {};
  Kokkos::View<const S*, Space> value = {};

  std::int64_t count() const { return static_cast<std::int64_t>(value.extent(0)); }
};

/// The order in which an epoch uses the ratings.
enum class SgdSchedule : int {
  block_diagonals,  ///< blocks of a wrapped diagonal of blocks at once, in order inside each
  diagonals,        ///< block_diagonals with blocks of one row and one column
  atomic            ///< all at once, with atomic additions: another result on every run
};

template <>
inline constexpr detail::Word<SgdSchedule> detail::words<SgdSchedule>[] = {
    {SgdSchedule::block_diagonals, "block-diagonals"},
    {SgdSchedule::diagonals, "diagonals"},
    {SgdSchedule::atomic, "atomic"}};

/// Options of a factorization.
struct SgdOptions {
  /// Number of columns of both factors. 16 and 32 have their own kernels, which are faster.
  int rank = 32;
  /// The order in which an epoch uses the ratings.
  SgdSchedule schedule = SgdSchedule::block_diagonals;
  /// Number of rows in a block of block_diagonals; 0: such that there are 64 blocks on each side on
  /// a CPU, 1024 elsewhere.
  std::int64_t block_rows = 0;
  std::int64_t block_columns = 0;  ///< number of columns in a block; 0: as for rows
  /// Seed that shuffles rows and columns before they are cut into blocks, so that those with many
  /// ratings are spread; 0: they keep their order. SgdPlan::start also uses it.
  std::uint64_t seed = 1;
};

}  // namespace heddle
