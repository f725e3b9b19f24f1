// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

#include "../../backends/tags.hpp"
#include "../common/prediction.hpp"
#include "parameters.hpp"

namespace heddle::detail::csr {

/// Whether a GPU's shares gain from laying vectors of x that lie apart side by side first: if they
/// read every row of x twice, on average.
inline bool reads_repay_packing(std::int64_t nonzeros, std::int64_t rows_of_x) {
  return nonzeros / 2 >= rows_of_x;
}

/// The same on a CPU: if rows of x are read often enough, and oftener where
/// packing them goes through memory. What stays in the caches is worth packing for SIMD registers
/// only (measured: docs/csr.md).
inline bool reads_repay_packing(const CpuTuning& tuning, std::int64_t nonzeros,
                                std::int64_t rows_of_x, int vectors, std::int64_t vector_bytes,
                                int threads, bool simd) {
  const std::int64_t bytes = rows_of_x * vectors * vector_bytes;
  const std::int64_t reads = nonzeros * std::min(vectors, 8);
  if (bytes / threads >= tuning.packed_bytes_per_thread) {
    return reads / tuning.reads_repay_packing >= rows_of_x;
  }
  return simd && reads / tuning.reads_repay_packing_in_cache >= rows_of_x;
}

/// Where csr/adaptive and csr/merge pack vectors of x, as pinned or where that repays.
inline double packed_bytes(const Parameters& parameters, bool simd, const RowFeatures& rows,
                           const Device& device, const Sizes& sizes) {
  if (!parameters.has_shares()) return 0;
  int vectors = 0;
  if (parameters.packed) {
    vectors = *parameters.packed;
  } else if (sizes.vectors.several_apart() && parameters.has_table()) {
    const int room = std::min(sizes.vectors.count, most_vectors_per_launch(device.has_lanes()));
    const bool repays =
        device.has_lanes()
            ? reads_repay_packing(rows.nonzeros, rows.columns)
            : reads_repay_packing(cpu_tuning<backends::Host>, rows.nonzeros, rows.columns, room,
                                  sizes.vector_bytes, std::max(1, device.multiprocessors), simd);
    vectors = repays ? room : 0;
  }
  return static_cast<double>(vectors) * static_cast<double>(rows.columns) * sizes.vector_bytes;
}

/// Edges and carry-outs of `shares` shares.
inline double table_bytes(double shares, const Device& device, const Sizes& sizes) {
  const double edge = 4.0 + sizes.ordinal_bytes + sizes.offset_bytes;
  const double carried = most_vectors_per_launch(device.has_lanes()) * sizes.accumulator_bytes;
  return shares * (edge + carried);
}

/// The blocks of csr/blocks, at most: a long row is one, and so is what stands before it.
inline double blocks_bytes(const Parameters& parameters, const RowFeatures& rows,
                           const Sizes& sizes) {
  const std::int64_t long_row = *parameters.long_row;
  std::int64_t blocks = ceil_div(rows.rows, *parameters.rows_per_block) + 1;
  if (rows.longest_row > long_row) blocks += 2 * (rows.nonzeros / (long_row + 1));
  const int lanes_bytes = parameters.block_lanes || parameters.learned == Wanted::yes ? 1 : 0;
  return static_cast<double>(std::min(blocks, rows.rows + 1)) * (sizes.ordinal_bytes + lanes_bytes);
}

/// What a plan keeps on a GPU.
inline double kept_bytes_on_gpu(const Parameters& parameters, const RowFeatures& rows,
                                const Device& device, const Sizes& sizes, const GpuTuning& tuning) {
  if (parameters.way == Way::blocks) return blocks_bytes(parameters, rows, sizes);
  constexpr bool simd = false;
  const double packed = packed_bytes(parameters, simd, rows, device, sizes);
  if (!parameters.has_table()) return packed;
  const auto bytes = static_cast<std::size_t>(sizes.accumulator_bytes);
  const std::int64_t work = rows.rows + rows.nonzeros;
  const std::int64_t teams =
      std::max<std::int64_t>(1, std::int64_t{device.multiprocessors} * tuning.share_teams_resident);
  const std::int64_t share_work =
      tuning.share_work(bytes, parameters.way == Way::merge, ceil_div(work, teams));
  return packed + table_bytes(static_cast<double>(ceil_div(work, share_work)), device, sizes);
}

/// The same on a CPU, at most: csr/adaptive keeps runs of rows where they gain enough.
inline double kept_bytes_on_cpu(const Parameters& parameters, const RowFeatures& rows,
                                const Device& device, const Sizes& sizes) {
  if (parameters.way == Way::blocks) return blocks_bytes(parameters, rows, sizes);
  if (!parameters.has_shares()) return 0;
  const bool simd = parameters.simd != backends::Simd::none;
  const bool runs =
      parameters.runs ? *parameters.runs == Wanted::yes : parameters.way == Way::adaptive;
  const double shares = parameters.has_table() ? device.multiprocessors : 0;
  return packed_bytes(parameters, simd, rows, device, sizes) + table_bytes(shares, device, sizes) +
         (simd && runs ? static_cast<double>(rows.rows) : 0);
}

}  // namespace heddle::detail::csr
