// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/device.hpp"
#include "../../core/features.hpp"
#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"

namespace heddle {

/// One node of a decision tree. A leaf has input -1, and its value.
struct ModelNode {
  int input = -1;
  double value = 0;  ///< an input that is at most this goes left
  int left = 0, right = 0;
};
using ModelTree = std::vector<ModelNode>;

namespace detail {

/// The value of the leaf that `inputs` lead to from the first node of a tree.
KOKKOS_INLINE_FUNCTION double leaf_value(const ModelNode* tree, const double* inputs) {
  int at = 0;
  while (tree[at].input >= 0) {
    at = inputs[tree[at].input] <= tree[at].value ? tree[at].left : tree[at].right;
  }
  return tree[at].value;
}

}  // namespace detail

// What was learned about the lanes a row of csr/blocks on a device: docs/choose.md.

/// What a tree is asked with, in this order: numbers of a block of rows, and of the lengths of
/// these rows (detail::csr::lane_inputs). `columns` are the matrix's.
inline constexpr std::array lane_input_names = std::to_array<std::string_view>(
    {"rows", "columns", "nonzeros", "density", "shortest_row", "longest_row", "mean_row",
     "row_variance", "longest_minus_mean", "root_of_mean", "row_variation"});

/// Trees that say how many lanes a row of a block gets: the logarithm to the base 2 that most
/// leaves name, and of those that tie the least.
struct LaneForest {
  /// A leaf names at most this: wavefronts have 64 lanes.
  static constexpr int most_bits = 6;
  static constexpr int most_trees = 255;
  std::vector<ModelTree> trees;
};

// What a model of the times of products is asked with: numbers of the matrix on a device, and of a
// scheme. docs/choose.md.

/// Names of the numbers, in their order; those that end in _log are logarithms to the base 2.
inline constexpr std::array model_input_names =
    std::to_array<std::string_view>({"rows_log",
                                     "columns_log",
                                     "nonzeros_log",
                                     "mean_row_log",
                                     "row_variation",
                                     "longest_over_mean_log",
                                     "empty_share",
                                     "slots_of_2",
                                     "slots_of_4",
                                     "slots_of_8",
                                     "slots_of_16",
                                     "slots_of_32",
                                     "bytes_over_cache_log",
                                     "x_over_cache_log",
                                     "rows_a_lane_log",
                                     "bandwidth_share",
                                     "diagonals_log",
                                     "narrow_share",
                                     "blocks_of_2",
                                     "blocks_of_3",
                                     "sectors",
                                     "lanes_log",
                                     "sigma_log",
                                     "block",
                                     "predicted_log"});
/// Of these, the last are the scheme's and what its formula predicts.
inline constexpr std::size_t scheme_input_count = 4;
inline constexpr std::size_t matrix_input_count = model_input_names.size() - scheme_input_count;

using ModelInputs = std::array<double, model_input_names.size()>;

namespace detail {

inline double log2_of(double value) { return std::log2(value > 1e-6 ? value : 1e-6); }

/// Of a number in a scheme's text, and `fallback` where there is none.
inline double number_of(const std::string& text, double fallback) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && stop != text.data() ? value : fallback;
}

}  // namespace detail

/// Rows of the slices whose sectors of x are counted: those that a warp or wavefront takes
/// together.
inline int sector_slice_rows(const Device& device) {
  return std::max(RowFeatures::slice_rows, device.lanes);
}

/// Those of the matrix. Looks at the pattern, and at samples of blocks: a slice of
/// sector_slice_rows rows asks for `sectors` of 32 bytes of x for each of its entries.
inline ModelInputs matrix_inputs(const Features& features, const Device& device,
                                 const Sizes& sizes) {
  using detail::log2_of;
  const PatternFeatures& all = features.pattern();
  const auto rows = static_cast<double>(all.rows), columns = static_cast<double>(all.columns);
  const auto nonzeros = static_cast<double>(all.nonzeros);
  const auto an_entry = [&](std::int64_t count) {
    return detail::share(static_cast<double>(count), all.nonzeros);
  };
  const auto cache = device.cache_bytes > 0 ? static_cast<double>(device.cache_bytes) : 32e6;
  const double resident =
      static_cast<double>(device.multiprocessors) * device.threads_per_multiprocessor;
  const int sector = std::max(1, 32 / sizes.vector_bytes);
  ModelInputs inputs = {log2_of(rows),
                        log2_of(columns),
                        log2_of(nonzeros),
                        log2_of(all.mean_row()),
                        all.row_variation(),
                        log2_of((static_cast<double>(all.longest_row) + 1) / (all.mean_row() + 1)),
                        detail::share(static_cast<double>(all.empty_rows), all.rows)};
  std::size_t at = 7;
  for (int group = 2; group <= RowFeatures::slice_rows; group *= 2) {
    inputs[at++] = an_entry(all.slots_of_groups(group));
  }
  inputs[at++] = log2_of(csr_least_bytes(all, sizes) / cache);
  inputs[at++] = log2_of(columns * sizes.vector_bytes / cache);
  inputs[at++] = log2_of(rows / resident);
  inputs[at++] = detail::share(static_cast<double>(all.lower_bandwidth + all.upper_bandwidth + 1),
                               all.rows + all.columns);
  inputs[at++] = log2_of(static_cast<double>(all.diagonals));
  inputs[at++] = all.narrow_slice_share();
  inputs[at++] = an_entry(features.blocks(2, 2));
  inputs[at++] = an_entry(features.blocks(3, 3));
  inputs[at++] = an_entry(features.blocks(sector_slice_rows(device), sector));
  return inputs;
}

/// Adds those of a scheme, of which a formula predicts `seconds`.
inline void set_scheme_inputs(ModelInputs& inputs, const Scheme& scheme, double seconds) {
  const auto number = [&](const char* key) {
    return scheme.has(key) ? detail::number_of(scheme.value(key), 1) : 1;
  };
  inputs[matrix_input_count] = std::log2(number("lanes") * number("subwarp"));
  inputs[matrix_input_count + 1] = std::log2(number("sigma"));
  inputs[matrix_input_count + 2] = detail::number_of(scheme.kernel(), 0);
  inputs[matrix_input_count + 3] = detail::log2_of(1e6 * seconds);
}

/// Schemes that a model looks at together: those of a format, but CSR's by their kernels, of which
/// scalar is a subwarp of one lane.
inline std::string model_group(const Scheme& scheme) {
  if (scheme.format() != "csr") return scheme.format();
  if (scheme.has("subwarp") || scheme.kernel() == "scalar") return "csr/subwarp";
  if (scheme.has("search") && scheme.value("search") == "apply") return "csr/merge,search=apply";
  return "csr/" + scheme.kernel();
}

/// Corrections of the formulas of `choose`, trained by measurements on a device: boosted regression
/// trees (J. Friedman, Greedy function approximation: a gradient boosting machine, 2001), several
/// for each group of schemes (model_group), whose sum is the logarithm of measured over predicted
/// seconds.
///
/// A plain value: the same inputs give the same result everywhere. Read one with read_model
/// (<heddle/model.hpp>), train one with perf_tests/model/train.py.
class Model {
 public:
  /// What it was trained for; it does not apply to anything else.
  std::string device;
  int scalar_bytes = 8;
  std::int64_t vectors = 1;
  bool apart = true;
  /// Weight of the trees, 0 to 1.
  double share = 1;
  /// Another format is chosen only if it is predicted to be faster than CSR by this factor or more,
  /// the uncertainty of the model.
  double margin = 0;
  std::map<std::string, std::vector<ModelTree>> groups;
  /// Whether it corrects predictions; false of one that has lanes alone.
  bool corrects = true;
  /// Lanes for the blocks of csr/blocks; without trees where none were learned.
  LaneForest lanes;

  /// Whether it was trained for such plans on such a device.
  bool is_for(const Device& its_device, const Sizes& sizes) const {
    const bool as_many = sizes.vectors.count == vectors;
    return its_device.name == device && sizes.scalar_bytes == scalar_bytes && as_many &&
           (vectors == 1 || sizes.vectors.apart == apart);
  }

  /// Expected over predicted time of a scheme; 1 for a group that it does not know.
  double factor(const Scheme& scheme, const ModelInputs& inputs) const {
    const auto found = groups.find(model_group(scheme));
    if (found == groups.end()) return 1;
    double sum = 0;
    for (const ModelTree& tree : found->second)
      sum += detail::leaf_value(tree.data(), inputs.data());
    return std::exp(share * sum);
  }
};

}  // namespace heddle
