// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<SgdOptions> = std::tuple{
    field("rank", &SgdOptions::rank,
          "columns of both factors; 16 and 32 have kernels of their own, which are faster",
          at_least(1)),
    field("schedule", &SgdOptions::schedule, "the order of the ratings"),
    field("block_rows", &SgdOptions::block_rows,
          "rows of a block of block_diagonals; 0: such that there are 64 blocks on each side on a "
          "CPU, 1024 elsewhere",
          at_least(0)),
    field("block_columns", &SgdOptions::block_columns, "columns of a block; 0: as for rows",
          at_least(0)),
    field("seed", &SgdOptions::seed,
          "seed that shuffles rows and columns before they are cut into blocks, so that rows with "
          "many ratings are spread; 0: no shuffling")};
static_assert(lists_all_fields<SgdOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
