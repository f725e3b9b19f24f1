// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "../../backends/tags.hpp"
#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"
#include "../formats.hpp"
#include "parameters.hpp"

namespace heddle::detail::csr {

/// Whether a GPU's shares gain from packing column-major vectors of x into row-major ones first: if
/// they read every row of x twice, on average.
inline bool reads_repay_packing(std::int64_t nonzeros, std::int64_t rows_of_x) {
  return nonzeros / 2 >= rows_of_x;
}

/// Whether a CPU's shares gain from packing column-major vectors of x: if rows of x are read often
/// enough, and more often if packing goes through memory. Vectors that stay in the caches are worth
/// packing for SIMD registers only (measured: docs/design/cpu.md).
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

/// Bytes of the packed vectors of x in csr/adaptive and csr/merge: packed as pinned, or if it pays.
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

/// Bytes of the edges and carry-outs of `shares` shares.
inline double table_bytes(double shares, const Device& device, const Sizes& sizes) {
  const double edge = 4.0 + sizes.ordinal_bytes + sizes.offset_bytes;
  const double carried = most_vectors_per_launch(device.has_lanes()) * sizes.accumulator_bytes;
  return shares * (edge + carried);
}

/// Most bytes of the blocks of csr/blocks: a long row is a block, and so are the rows before it.
inline double blocks_bytes(const Parameters& parameters, const RowFeatures& rows,
                           const Sizes& sizes) {
  const std::int64_t long_row = *parameters.long_row;
  std::int64_t blocks = ceil_div(rows.rows, *parameters.rows_per_block) + 1;
  if (rows.longest_row > long_row) blocks += 2 * (rows.nonzeros / (long_row + 1));
  const int lanes_bytes = parameters.block_lanes || parameters.learned == Wanted::yes ? 1 : 0;
  return static_cast<double>(std::min(blocks, rows.rows + 1)) * (sizes.ordinal_bytes + lanes_bytes);
}

/// Bytes that a plan keeps on a GPU.
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

/// Most bytes that a plan keeps on a CPU: csr/adaptive keeps runs of rows only if they gain enough.
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

/// Row features from the sizes of a matrix alone: all rows are as long as the mean.
template <class Matrix>
RowFeatures rows_alike(const Matrix& A) {
  RowFeatures rows;
  rows.rows = A.rows();
  rows.columns = A.columns();
  rows.nonzeros = static_cast<std::int64_t>(A.nonzeros());
  rows.longest_row = std::llround(rows.mean_row());
  return rows;
}

/// Cost model of CSR schemes on a GPU, in rounds of loads of a full device. Its form follows how
/// the kernels run, and its numbers are fitted to measurements: docs/choose.md.
class GpuCosts {
 public:
  GpuCosts(const RowFeatures& rows, const Device& device, const Sizes& sizes,
           const GpuTuning& tuning)
      : rows_(rows), device_(device), sizes_(sizes), tuning_(tuning) {
    if (sizes.vectors.several_apart()) {
      // Packing costs a launch, which the vectors share, and saves more if x is read often.
      const bool packed = reads_repay_packing(rows.nonzeros, rows.columns);
      round_exponent_ = 1.1;
      longest_row_round_ = 0.45;
      adaptive_start_ = 14.0 / sizes.vectors.count;
      adaptive_wave_ = packed ? 2.2 : unpacked_wave;
    } else if (sizes.vectors.count > 1) {
      // With row-major vectors every scheme waits for x alike, and equal shares cost nothing.
      adaptive_wave_ = 0;
    } else if (beyond_cache()) {
      // Equal shares cost little if all schemes wait for memory.
      adaptive_wave_ = 1.55;
    }
  }

  double subwarp(int lanes) const {
    const double resident = static_cast<double>(tuning_.subwarp_teams_resident) *
                            tuning_.subwarp_threads * device_.multiprocessors;
    const double waves = static_cast<double>(rows_.rows) * lanes / resident;
    // The mean longest row of a warp is used if it was counted; that of a wider wavefront is no
    // shorter. For column-major vectors the numbers are fitted to the deviation alone.
    const int rows_of_warp = std::min(device_.lanes / lanes, RowFeatures::slice_rows);
    const double longest_of_warp =
        sizes_.vectors.several_apart() ? 0 : rows_.mean_longest_of_groups(rows_of_warp);
    const double row =
        std::max(rows_.mean_row() + longer_rows * std::sqrt(rows_.row_variance), longest_of_warp);
    const double full = row / (tuning_.subwarp_batch * lanes);
    // Lanes without a nonzero in the last round load nothing, but wait.
    const double rounds = std::max(1.0, (full + std::ceil(full)) / 2);
    const double longest =
        std::ceil(static_cast<double>(rows_.longest_row) / (tuning_.subwarp_batch * lanes));
    return waves * (1 + doubling * std::log2(lanes)) * std::pow(rounds, round_exponent_) +
           longest_row_round_ * longest;
  }

  double adaptive() const { return adaptive_start_ + adaptive_wave_ * adaptive_waves(); }

  /// Cost of csr/merge: that of csr/adaptive, and a little more for cutting short rows too; but
  /// less than any other scheme's if most rows are empty and there are many of them.
  double merge() const {
    const bool many = adaptive_waves() >= 2.5;
    const bool mostly_empty = rows_.nonzeros < rows_.rows / 5;
    if (many && mostly_empty && !sizes_.vectors.several_apart()) {
      return 0.95 * std::min(adaptive(), subwarp(subwarp_lanes()));
    }
    return 1.05 * adaptive();
  }

  /// Cost of csr/merge,search=apply: that of csr/merge, and more: every team first waits for its
  /// search, a load for every level, and one team computes the longest row. Measured on an H200:
  /// 1.25 times csr/merge's time on average, 1.0 to 4.6 (docs/design/formats.md).
  double searched_merge() const {
    const bool apart = sizes_.vectors.several_apart();
    const double shares = apart ? 1 + unpacked_wave * adaptive_waves() : adaptive();
    const double levels = std::ceil(std::log2(1.0 + static_cast<double>(rows_.rows)) /
                                    std::log2(1.0 + device_.lanes));
    const auto bytes = static_cast<std::size_t>(sizes_.accumulator_bytes);
    const double longest = static_cast<double>(rows_.longest_row) / tuning_.search_capacity(bytes);
    return 1.05 * shares + levels * std::max(1.0, adaptive_waves()) +
           long_row_rounds * std::max(0.0, longest - 1);
  }

  /// The cheapest number of lanes for each row in csr/subwarp.
  int subwarp_lanes() const {
    int best = 1;
    for (int lanes = 2; lanes <= device_.lanes; lanes *= 2) {
      if (subwarp(lanes) < subwarp(best)) best = lanes;
    }
    return best;
  }

 private:
  /// Length of the longer rows of a warp, which its other lanes wait for, in standard deviations
  /// above the mean.
  static constexpr double longer_rows = 1.2;
  /// Rounds of a team that computes a long row alone, for each of its stages: limited by the
  /// scattered sectors of x that the L2 cache delivers to one multiprocessor.
  static constexpr double long_row_rounds = 1.6;
  /// Rounds of a full device of shares with column-major vectors that are not packed.
  static constexpr double unpacked_wave = 4.4;
  /// Relative cost of a sum over twice as many lanes.
  static constexpr double doubling = 0.3;

  /// Number of times that the shares of csr/adaptive fill the device.
  double adaptive_waves() const {
    const auto bytes = static_cast<std::size_t>(sizes_.accumulator_bytes);
    const double shares =
        static_cast<double>(rows_.rows + rows_.nonzeros) / tuning_.adaptive_work(bytes);
    return shares / (static_cast<double>(tuning_.share_teams_resident) * device_.multiprocessors);
  }

  /// Whether an apply reads and writes more than the last-level cache keeps until the next.
  bool beyond_cache() const {
    Sizes one = sizes_;
    one.vectors.count = 1;
    return csr_least_bytes(rows_, one) > 0.8 * static_cast<double>(device_.cache_bytes);
  }

  const RowFeatures& rows_;
  const Device& device_;
  const Sizes& sizes_;
  const GpuTuning& tuning_;
  /// Cost grows more than in proportion to rounds, for other lanes evict the cache lines of a
  /// lane's next rounds.
  double round_exponent_ = 1.35;
  /// Cost of a round of the longest row, which others wait for, over a round of the full device.
  double longest_row_round_ = 0.35;
  /// csr/adaptive: rounds to read a share and hand over carry-outs, and of a full device of shares.
  double adaptive_start_ = 1;
  double adaptive_wave_ = 15;
};

/// The fastest of csr/scalar, csr/subwarp and csr/adaptive on a GPU, from features that may be
/// rows_alike.
inline Scheme scheme_by_rows(const RowFeatures& rows, const Device& device, const Sizes& sizes,
                             const GpuTuning& tuning) {
  const GpuCosts costs(rows, device, sizes, tuning);
  const int lanes = costs.subwarp_lanes();
  if (costs.adaptive() < costs.subwarp(lanes)) return Scheme("csr/adaptive");
  if (lanes == 1) return Scheme("csr/scalar");
  return Scheme("csr/subwarp=" + std::to_string(lanes));
}

/// Predicts CSR schemes on a GPU. Fitted to the best scheme of each of the 182 matrices of
/// docs/choose.md on an H200: half of the predictions are within 10 %, nine tenths within 34 %.
inline Prediction predict_on_gpu(const Scheme& scheme, const Features& features,
                                 const Device& device, const Sizes& sizes,
                                 const GpuTuning& tuning) {
  const RowFeatures& rows = features.rows();
  const Parameters parameters = Parameters::resolve(scheme, rows, device);
  const GpuCosts costs(rows, device, sizes, tuning);
  Prediction prediction;
  prediction.moved_bytes = csr_least_bytes(rows, sizes);
  prediction.kept_bytes = kept_bytes_on_gpu(parameters, rows, device, sizes, tuning);
  const std::string shape = "rows of " + std::to_string(std::llround(rows.mean_row())) +
                            " nonzeros on average, the longest of " +
                            std::to_string(rows.longest_row);
  GpuCost cost{.round_seconds = 0.5e-6,
               .efficiency = 0.84,
               .several = {{1.6, 1.5, 1.7, 1.8}, {1.8, 2.1, 2.8}},
               .setup = {45, 3.5, 89}};
  switch (parameters.way) {
    case Way::rows:
      cost.rounds = costs.subwarp(*parameters.lanes);
      prediction.reason = parameters.lanes == 1 ? shape + ", and enough to fill the device" : shape;
      break;
    case Way::adaptive:
      cost.rounds = costs.adaptive();
      cost.setup = {66, 8, 119};
      prediction.reason = shape + ", cheaper in equal shares than row by row";
      break;
    case Way::merge:
      cost.rounds = costs.merge();
      cost.setup = {66, 8, 119};
      prediction.reason = "most rows are empty, and there are many of them";
      break;
    case Way::searched_merge:
      cost.rounds = costs.searched_merge();
      prediction.reason = shape + ", and too few applies to set up a table of equal shares";
      break;
    case Way::blocks:
      // H200: 1.5 times csr/adaptive's time on average, 0.95 to 8.3 (docs/design/formats.md).
      prediction.last_resort = true;
      cost.rounds = costs.adaptive();
      cost.slowdown = 1.5;
      cost.setup = {84, 3.3, 148};
      prediction.reason = "blocks of rows get lanes by their mean length, and long rows a team";
      break;
  }
  prediction.price(cost, rows, device, sizes);
  return prediction;
}

/// Predicts CSR schemes on a CPU. All wait for the same memory; equal shares of rows plus nonzeros
/// keep all threads busy, and inspecting the rows is amortized within a few applies.
inline Prediction predict_on_cpu(const Scheme& scheme, const Features& features,
                                 const Device& device, const Sizes& sizes) {
  const RowFeatures& rows = features.rows();
  const Parameters parameters = Parameters::resolve(scheme, rows, device);
  Prediction prediction;
  const int most = sizes.vectors.apart ? cpu_tuning<backends::Host>.vectors_apart
                                       : most_vectors_per_launch(device.has_lanes());
  prediction.moved_bytes =
      csr_least_bytes(rows, sizes, passes_over_matrix(sizes.vectors.count, most));
  prediction.kept_bytes = kept_bytes_on_cpu(parameters, rows, device, sizes);
  const double apply = estimated_launch_seconds(device) +
                       prediction.moved_bytes / estimated_bytes_per_second(device);
  const double look = cpu_setup_seconds + 0.5 * apply;
  switch (parameters.way) {
    case Way::rows:
      prediction.seconds = 1.2 * apply;
      prediction.setup_seconds = look;
      prediction.reason = "few applies repay no inspection";
      break;
    case Way::adaptive:
      prediction.seconds = apply;
      prediction.setup_seconds = look + (parameters.runs == Wanted::no ? 1 : 2) * apply;
      prediction.reason = "threads get equal shares of rows plus nonzeros";
      break;
    case Way::merge:
      prediction.seconds = 1.1 * apply;
      prediction.setup_seconds = look + 0.1 * apply;
      prediction.reason = "threads get equal shares of rows plus nonzeros";
      break;
    case Way::searched_merge: {
      // The loops are those of csr/scalar. The gain of equal shares was not measured on a CPU, so
      // this ranks after csr/scalar.
      constexpr double look_seconds = 0.1e-6;
      prediction.seconds =
          1.2 * apply + look_seconds * std::log2(2.0 + static_cast<double>(rows.rows));
      prediction.setup_seconds = look;
      prediction.reason = "threads get equal shares of rows plus nonzeros, and nothing is set up";
      break;
    }
    case Way::blocks:
      // Not measured on a CPU, and equal numbers of blocks are not equal work.
      prediction.last_resort = true;
      prediction.seconds = 2 * apply;
      prediction.setup_seconds = 2 * look;
      prediction.reason = "threads get equal numbers of blocks of rows";
      break;
  }
  return prediction;
}

}  // namespace heddle::detail::csr

namespace heddle {

/// Compressed sparse rows: borrows the user's arrays, and never copies them. Holds any matrix.
struct CsrFormat {
  static constexpr const char* name = "csr";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::csr::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device& device) {
    std::vector<Scheme> schemes{Scheme(name, {{"scalar"}})};
    for (int width = 2; width <= device.lanes; width *= 2) {
      schemes.push_back(Scheme(name, {{"subwarp", width}}));
    }
    schemes.push_back(Scheme(name, {{"adaptive"}}));
    schemes.push_back(Scheme(name, {{"merge"}}));
    schemes.push_back(Scheme(name, {{"merge"}, {"search", "apply"}}));
    schemes.push_back(Scheme(name, {{"blocks"}}));
    return schemes;
  }

  static std::vector<Scheme> in_place_candidates(const Features& features, const Device& device) {
    std::vector<Scheme> schemes;
    for (const Scheme& scheme : candidates(features, device)) {
      std::vector<SchemeTerm> terms = scheme.terms();
      terms.push_back({"transpose", "atomics"});
      schemes.push_back(Scheme(name, std::move(terms)));
    }
    return schemes;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    Prediction prediction = backends::with_tag(device.backend, [&](auto tag) {
      return device.has_lanes()
                 ? detail::csr::predict_on_gpu(scheme, features, device, sizes,
                                               detail::csr::gpu_tuning<decltype(tag)>)
                 : detail::csr::predict_on_cpu(scheme, features, device, sizes);
    });
    if (scheme.has("transpose")) prediction.transposed_factor = atomics_factor;
    return prediction;
  }

  /// Transposing ops are native with atomic additions only: slow, not reproducible, and each
  /// addition rounds to the type of the vectors, but they need no memory.
  static bool applies(Op op, const Scheme& scheme) {
    return !transposes(op) || scheme.has("transpose");
  }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& inspection, const Scheme& scheme);

 private:
  /// Time of an apply with atomic additions to y over one without a transpose: docs/choose.md.
  static constexpr double atomics_factor = 5;
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(CsrFormat)
