// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/features.hpp"
#include "../../core/scheme.hpp"
#include "tuning.hpp"

namespace heddle::detail::csr {

/// What a worker takes: whole rows, an equal share of rows plus nonzeros from a table
/// (csr/adaptive, csr/merge) or searched for (csr/merge,search=apply), or blocks of rows.
enum class Way { rows, adaptive, merge, searched_merge, blocks };

/// The parameters of a scheme, those that it leaves out resolved; for predict and inspect alike.
/// What only CPUs have is resolved by HostVariant, with types and processor.
struct Parameters {
  Way way = Way::rows;
  int lanes = 1;                    ///< a row, on a GPU
  std::int64_t rows_per_block = 0;  ///< of Way::blocks
  std::int64_t long_row = 0;        ///< of Way::blocks
  std::optional<int> packed;        ///< vectors of x that are packed, where that is pinned

  bool has_table() const { return way == Way::adaptive || way == Way::merge; }
  bool has_shares() const { return has_table() || way == Way::searched_merge; }

  static Parameters resolve(const Scheme& scheme, const RowFeatures& rows) {
    Parameters parameters;
    if (scheme.has("subwarp")) {
      parameters.lanes = static_cast<int>(scheme.integer("subwarp"));
    } else if (scheme.has("adaptive")) {
      parameters.way = Way::adaptive;
    } else if (scheme.has("merge")) {
      const bool searches = scheme.has("search") && scheme.value("search") == "apply";
      parameters.way = searches ? Way::searched_merge : Way::merge;
    } else if (scheme.has("blocks")) {
      parameters.way = Way::blocks;
      parameters.rows_per_block = scheme.has("rows") ? scheme.integer("rows")
                                                     : block_tuning.rows_per_block(rows.mean_row());
      parameters.long_row = scheme.has("long") ? scheme.integer("long") : block_tuning.long_row;
    }
    if (scheme.has("pack")) {
      const bool packs = scheme.value("pack") != "no";
      parameters.packed = packs ? static_cast<int>(scheme.integer("pack")) : 0;
    }
    return parameters;
  }
};

}  // namespace heddle::detail::csr
