// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/tags.hpp"
#include "../../core/features.hpp"
#include "../../core/scheme_grammar.hpp"
#include "../common/share_alignment.hpp"

namespace heddle::detail::csr {

/// Tuning parameters of the CSR kernels on a GPU, read by their launches and by the cost model.
/// Measured on an H200 (docs/design/formats.md); no AMD GPU has been measured.
struct GpuTuning {
  // csr/scalar and csr/subwarp
  int subwarp_threads = 256;
  int subwarp_teams_resident = 6;
  /// Nonzeros that a lane loads at once.
  int subwarp_batch = 4;
  /// Vectors of x that a lane handles at a time, if there are several column-major ones.
  int vectors_per_lane = 4;

  // csr/adaptive and csr/merge: a team a share
  int share_threads = 128;
  int share_teams_resident = 8;
  /// Teams resident with several vectors: 64 KB of scratch hold the nonzeros of no more.
  int share_multivector_teams_resident = 3;

  // csr/blocks. Not tuned: the values that docs/design/formats.md measured.
  int block_threads = 256;
  int block_teams_resident = 4;
  int block_batch = 4;
  int block_multivector_batch = 2;
  int block_vectors_per_lane = 2;

  // csr/merge,search=apply: as many resident threads in larger teams, since one team computes the
  // longest row. Not tuned.
  int search_threads = 256;
  int search_teams_resident = 4;
  int search_multivector_teams_resident = 2;

  /// Nonzeros of a share for each thread.
  constexpr int share_items(std::size_t accumulator_bytes) const {
    return accumulator_bytes > 8 ? 4 : 8;
  }
  constexpr int share_capacity(std::size_t accumulator_bytes) const {
    return share_threads * share_items(accumulator_bytes);
  }
  /// Longest row in nonzeros that csr/adaptive never cuts.
  constexpr int short_row(std::size_t accumulator_bytes) const {
    return share_capacity(accumulator_bytes) * 3 / 16 - share_alignment;
  }
  /// Most rows plus nonzeros of a share.
  constexpr int merge_work(std::size_t accumulator_bytes) const {
    return share_capacity(accumulator_bytes) - share_alignment;
  }
  constexpr int adaptive_work(std::size_t accumulator_bytes) const {
    return merge_work(accumulator_bytes) - short_row(accumulator_bytes);
  }
  /// Steps of a share: an equal number for every resident team, but not too few to be worth a team,
  /// and no more than a share holds.
  constexpr std::int64_t share_work(std::size_t accumulator_bytes, bool merges,
                                    std::int64_t equal) const {
    const std::int64_t most =
        merges ? merge_work(accumulator_bytes) : adaptive_work(accumulator_bytes);
    return std::clamp<std::int64_t>(equal, share_capacity(accumulator_bytes) / 4, most);
  }
  constexpr int search_capacity(std::size_t accumulator_bytes) const {
    return search_threads * share_items(accumulator_bytes);
  }
  /// Steps of a searched share at most: a short row that begins last fits too.
  constexpr int search_work(std::size_t accumulator_bytes) const {
    return search_capacity(accumulator_bytes) * 13 / 16;
  }
};

/// How csr/blocks groups rows, on GPUs and CPUs. Not tuned.
struct BlockTuning {
  /// A row of more nonzeros is a block of its own.
  std::int64_t long_row = 512;
  /// Nonzeros of a block of rows of mean length: two rounds of loads of a team.
  std::int64_t block_nonzeros = 2048;
  std::int64_t most_rows = 1024;
  std::int64_t fewest_rows = 8;

  /// Rows of a block of short rows, a power of two.
  constexpr std::int64_t rows_per_block(double mean_row) const {
    std::int64_t rows = most_rows;
    while (rows > fewest_rows &&
           static_cast<double>(rows) * mean_row > static_cast<double>(block_nonzeros)) {
      rows /= 2;
    }
    return rows;
  }
};

/// Tuning parameters of the CSR kernels on a CPU, where every thread has one share. Measured on the
/// processors of docs/design/cpu.md.
struct CpuTuning {
  /// Vectors of x that one pass serves: plain loops, and SIMD registers if column-major.
  int plain_vectors = 8;
  int vectors_apart = 8;
  /// Longest row in nonzeros that csr/adaptive never cuts.
  int short_row = 1024;
  /// Cost of a row in nonzeros: a branch misprediction or the unused part of a register.
  int row_steps = 8;
  /// Fewest steps of a share.
  int least_work = 512;
  /// A matrix of more bytes for each thread is read from memory at every apply.
  std::int64_t cached_bytes_per_thread = 8'000'000;
  /// A matrix of more bytes for each thread is read from memory, not from the last-level cache:
  /// then rows of equal columns, a stream of values each, are slower together on most processors.
  std::int64_t last_level_bytes_per_thread = 32'000'000;
  /// A matrix of more bytes for each thread does not stay in a core's own cache.
  std::int64_t core_bytes_per_thread = 2'000'000;
  /// Fewest nonzeros of a mean row for which RowLoop::two_sums gains, and share of fours of
  /// nonzeros with consecutive columns for which RowLoop::contiguous does.
  double long_row = 24;
  double share_of_consecutive = 0.6;
  /// Bytes of x from the first to the last column of a mean row beyond which rows of up to
  /// `longest_prefetched` nonzeros wait for x, and gain by a prefetch of the matrix meanwhile.
  double prefetched_span = 65'536;
  /// Longest row whose nonzeros are prefetched; the hardware prefetches longer ones.
  static constexpr std::int64_t longest_prefetched = 48;
  /// Vectors of x of more bytes for each thread are packed through memory.
  std::int64_t packed_bytes_per_thread = 3'000'000;
  /// Fewest reads of each row of x for which packing pays, with at most eight vectors counted:
  /// beyond the caches and in them.
  int reads_repay_packing = 112;
  int reads_repay_packing_in_cache = 40;
};

/// Tuning parameters of a backend, by its tag; specialize them for a device that needs others.
template <class Tag>
inline constexpr GpuTuning gpu_tuning{};
/// On an AMD GPU 64 KB of scratch hold no more teams that stage 2048 nonzeros.
template <>
inline constexpr GpuTuning gpu_tuning<backends::Hip>{.search_teams_resident = 3,
                                                     .search_multivector_teams_resident = 1};
template <class Tag>
inline constexpr CpuTuning cpu_tuning{};
inline constexpr BlockTuning block_tuning{};

/// Whether a CPU gains by taking rows of equal columns together, in a matrix of so many bytes for
/// each thread: from its caches in any case, from memory if it reads several streams well.
constexpr bool equal_rows_gain(const CpuTuning& tuning, const backends::CpuTraits& cpu,
                               std::int64_t bytes_per_thread) {
  return bytes_per_thread <= tuning.last_level_bytes_per_thread || cpu.reads_several_streams;
}

/// Share of the nonzeros that runs of rows have to gain in a matrix of so many bytes for each
/// thread. Long rows in no run are slower between runs if they do not come from a core's own cache.
constexpr double least_gain_of_runs(const CpuTuning& tuning, double mean_row,
                                    std::int64_t bytes_per_thread) {
  const bool slower =
      mean_row >= tuning.long_row && bytes_per_thread > tuning.core_bytes_per_thread;
  return slower ? 0.5 : 0.125;
}

/// The loop of a CPU over rows that are in no run.
enum class RowLoop {
  row,         ///< row by row, the last nonzeros one by one: branches, but no wasted work
  four,        ///< four rows at a time, the last nonzeros of each under a mask
  branchless,  ///< four rows at a time, the last eight nonzeros under masks: fewer branches still
  sparse,      ///< `four` with x prefetched, for matrices whose rows are mostly empty
  two_sums,    ///< `row` for long rows, whose sum is spread over two registers
  contiguous,  ///< `two_sums`, where x of four consecutive columns is one load
};

/// Hints for the kernels of a CPU: how to run, and the structure of the matrix's rows.
struct RowHints {
  backends::Simd simd = backends::Simd::none;
  RowLoop loop = RowLoop::four;
  const std::uint8_t* runs = nullptr;  ///< from RowRuns, or null
  bool prefetch = false;               ///< prefetch the matrix, which is read from memory each time
  /// Whether two column-major vectors of x have a pass each: one pass would lose the gain on rows.
  bool two_one_by_one = false;
};

/// Work of a team or thread: whole rows, an equal share of rows plus nonzeros from a table
/// (csr/adaptive, csr/merge) or searched for (csr/merge,search=apply), or blocks of rows.
enum class Way { rows, adaptive, merge, searched_merge, blocks };

/// Values of parameters, in the order of their words.
enum class Search { plan, apply };
enum class Transposing { atomics };
enum class Wanted { yes, no };

/// The parameters of a scheme, for predict and inspect alike. Those that resolve() leaves out
/// depend on the types, the processor and the matrix.
struct Parameters {
  Way way = Way::rows;
  std::optional<int> lanes;  ///< lanes for each row, on a GPU
  std::optional<Transposing> transpose;
  std::optional<Search> search;                ///< csr/merge: when shares are found
  std::optional<std::int64_t> rows_per_block;  ///< csr/blocks: rows of a block of short rows
  std::optional<std::int64_t> long_row;        ///< csr/blocks: a longer row is a block of its own
  std::optional<int> block_lanes;              ///< csr/blocks: lanes for each row, on a GPU
  std::optional<Wanted> learned;               ///< csr/blocks: whether a model chooses the lanes
  std::optional<backends::Simd> simd;          ///< how SIMD registers are used
  std::optional<RowLoop> loop;                 ///< the loop over rows, with SIMD
  std::optional<Wanted> runs;                  ///< whether runs of similar rows go together
  std::optional<Wanted> prefetch;              ///< whether the matrix is prefetched
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
      fields.add(loop,
                 {.key = "loop",
                  .words = {"row", "four", "branchless", "sparse", "two-sums", "contiguous"}});
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
