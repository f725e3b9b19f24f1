// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/features.hpp"
#include "../../core/scheme_fields.hpp"
#include "row_hints.hpp"
#include "tuning.hpp"

namespace heddle::detail::csr {

/// What a worker takes: whole rows, an equal share of rows plus nonzeros from a table
/// (csr/adaptive, csr/merge) or searched for (csr/merge,search=apply), or blocks of rows.
enum class Way { rows, adaptive, merge, searched_merge, blocks };

/// Values of parameters, in the order of their words.
enum class Search { plan, apply };
enum class Transposing { atomics };
enum class Wanted { yes, no };

/// The parameters of a scheme, for predict and inspect alike. What resolve() leaves out the types,
/// the processor and the matrix decide.
struct Parameters {
  Way way = Way::rows;
  std::optional<int> lanes;  ///< a row, on a GPU
  std::optional<Transposing> transpose;
  std::optional<Search> search;                ///< of csr/merge
  std::optional<std::int64_t> rows_per_block;  ///< of csr/blocks
  std::optional<std::int64_t> long_row;        ///< of csr/blocks
  std::optional<int> block_lanes;              ///< a row of csr/blocks, on a GPU
  std::optional<Wanted> learned;               ///< whether a model says the lanes of csr/blocks
  std::optional<backends::Simd> simd;          ///< how SIMD registers are used
  std::optional<RowLoop> loop;                 ///< how rows are gone through, with SIMD
  std::optional<Wanted> runs;                  ///< whether runs of like rows are taken together
  std::optional<Wanted> prefetch;              ///< whether the matrix is asked for ahead
  std::optional<int> packed;                   ///< vectors of x that are packed; 0 for none

  bool has_table() const { return way == Way::adaptive || way == Way::merge; }
  bool has_shares() const { return has_table() || way == Way::searched_merge; }

  void list(SchemeFields& fields, const Device& device) {
    fields.add(transpose, {.key = "transpose", .words = {"atomics"}});
    if (fields.kernel("scalar")) way = Way::rows;
    list_simd(fields, device);
    if (device.has_lanes()) {
      fields.kernel(lanes, {.key = "subwarp", .numbers = {2, device.lanes, true}, .fallback = ""});
    }
    if (fields.kernel("adaptive")) way = Way::adaptive;
    list_shares(fields, device);
    if (fields.kernel("merge")) way = Way::merge;
    fields.add(search, {.key = "search", .words = {"plan", "apply"}});
    list_shares(fields, device);
    if (fields.kernel("blocks")) way = Way::blocks;
    fields.add(rows_per_block, {.key = "rows", .numbers = {1, 65536}, .examples = {"7", "64"}});
    fields.add(long_row,
               {.key = "long", .numbers = {1, SchemeNumbers::any}, .examples = {"1", "40"}});
    if (device.has_lanes()) {
      fields.add(block_lanes, {.key = "lanes", .numbers = {1, device.lanes, true}});
      fields.add(learned, {.key = "learned", .words = {"yes", "no"}});
    }
    list_simd(fields, device);
  }

  static Parameters resolve(const Scheme& scheme, const RowFeatures& rows, const Device& device) {
    auto all = parameters_of<Parameters>(scheme, device);
    if (!all.lanes) all.lanes = 1;
    if (all.way == Way::merge) {
      if (all.search == Search::apply) all.way = Way::searched_merge;
      if (!all.search) all.search = Search::plan;
    }
    if (!all.rows_per_block) all.rows_per_block = block_tuning.rows_per_block(rows.mean_row());
    if (!all.long_row) all.long_row = block_tuning.long_row;
    return all;
  }

 private:
  void list_simd(SchemeFields& fields, const Device& device) {
    if (device.has_lanes()) return;
    fields.add(simd, {.key = "simd", .words = {"none", "loads", "gathers"}});
  }
  void list_shares(SchemeFields& fields, const Device& device) {
    list_simd(fields, device);
    if (!device.has_lanes()) {
      fields.add(loop, {.key = "loop", .words = {"row", "four", "branchless", "sparse"}});
      fields.add(runs, {.key = "runs", .words = {"yes", "no"}});
      fields.add(prefetch, {.key = "prefetch", .words = {"yes", "no"}});
    }
    fields.add(packed, {.key = "pack",
                        .words = {"no"},
                        .numbers = {2, device.has_lanes() ? 32 : 64},
                        .examples = {"8"}});
  }
};

}  // namespace heddle::detail::csr
