// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../backends/tags.hpp"
#include "../common/share_alignment.hpp"

namespace heddle::detail::csr {

/// The sizes that the CSR kernels run at on a GPU, read by their launches and by the cost model.
/// Measured on an H200 (docs/csr.md, docs/design/csr.md); no AMD GPU has been measured.
struct GpuTuning {
  // csr/scalar and csr/subwarp
  int subwarp_threads = 256;
  int subwarp_teams_resident = 6;
  /// Nonzeros that a lane loads at once.
  int subwarp_batch = 4;
  /// Vectors of x that a lane serves at a time, when there are several that lie apart.
  int vectors_per_lane = 4;

  // csr/adaptive and csr/merge: a team a share
  int share_threads = 128;
  int share_teams_resident = 8;
  /// With several vectors: what 64 KB of scratch hold of teams with their nonzeros in it.
  int share_multivector_teams_resident = 3;

  // csr/blocks. Not tuned: what docs/design/csr.md was measured with.
  int block_threads = 256;
  int block_teams_resident = 4;
  int block_batch = 4;
  int block_multivector_batch = 2;
  int block_vectors_per_lane = 2;

  // csr/merge,search=apply: as many threads, in larger teams, since one of them goes through the
  // longest row. Not tuned.
  int search_threads = 256;
  int search_teams_resident = 4;
  int search_multivector_teams_resident = 2;

  /// Nonzeros that a thread takes of a share.
  constexpr int share_items(std::size_t accumulator_bytes) const {
    return accumulator_bytes > 8 ? 4 : 8;
  }
  constexpr int share_capacity(std::size_t accumulator_bytes) const {
    return share_threads * share_items(accumulator_bytes);
  }
  /// csr/adaptive never cuts a row of so few nonzeros.
  constexpr int short_row(std::size_t accumulator_bytes) const {
    return share_capacity(accumulator_bytes) * 3 / 16 - share_alignment;
  }
  /// Rows plus nonzeros of a share at most.
  constexpr int merge_work(std::size_t accumulator_bytes) const {
    return share_capacity(accumulator_bytes) - share_alignment;
  }
  constexpr int adaptive_work(std::size_t accumulator_bytes) const {
    return merge_work(accumulator_bytes) - short_row(accumulator_bytes);
  }
  /// Steps of a share: an equal one for every team that is resident; none too small to be worth a
  /// team, and none larger than a share holds.
  constexpr std::int64_t share_work(std::size_t accumulator_bytes, bool merges,
                                    std::int64_t equal) const {
    const std::int64_t most =
        merges ? merge_work(accumulator_bytes) : adaptive_work(accumulator_bytes);
    return std::clamp<std::int64_t>(equal, share_capacity(accumulator_bytes) / 4, most);
  }
  constexpr int search_capacity(std::size_t accumulator_bytes) const {
    return search_threads * share_items(accumulator_bytes);
  }
  /// So that a short row that begins last still fits.
  constexpr int search_work(std::size_t accumulator_bytes) const {
    return search_capacity(accumulator_bytes) * 13 / 16;
  }
};

/// Which rows csr/blocks puts together, on GPUs and CPUs. Not tuned.
struct BlockTuning {
  /// A row of more nonzeros is a block by itself.
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

/// The same for a CPU, where every thread takes one share. Measured on the processors of
/// docs/design/cpu.md.
struct CpuTuning {
  /// Vectors of x that plain loops serve in one pass, and registers if the vectors lie apart.
  int plain_vectors = 8;
  int vectors_apart = 8;
  /// csr/adaptive never cuts a row of so few nonzeros.
  int short_row = 1024;
  /// What a row costs, in nonzeros: a branch misprediction or the unused part of a register.
  int row_steps = 8;
  /// No share is smaller.
  int least_work = 512;
  /// A matrix of more bytes a thread comes from memory at every apply.
  std::int64_t cached_bytes_per_thread = 8'000'000;
  /// Vectors of x of more bytes a thread are packed through memory.
  std::int64_t packed_bytes_per_thread = 3'000'000;
  /// Reads of a row of x, eight vectors counted at most, that repay packing it: beyond the caches
  /// and within.
  int reads_repay_packing = 112;
  int reads_repay_packing_in_cache = 40;
};

/// The numbers of a backend, by its tag; specialize them where another device wants others.
template <class Tag>
inline constexpr GpuTuning gpu_tuning{};
/// 64 KB of scratch hold no more teams that stage 2048 nonzeros.
template <>
inline constexpr GpuTuning gpu_tuning<backends::Hip>{.search_teams_resident = 3,
                                                     .search_multivector_teams_resident = 1};
template <class Tag>
inline constexpr CpuTuning cpu_tuning{};
inline constexpr BlockTuning block_tuning{};

}  // namespace heddle::detail::csr
