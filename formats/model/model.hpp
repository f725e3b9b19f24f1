// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
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
#include "input.hpp"

namespace heddle {

/// One node of a decision tree. A leaf has input -1, and its value.
struct ModelNode {
  int input = -1;
  double value = 0;  ///< inputs up to this value go left
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

// A learned choice of the lanes for a row of csr/blocks on a device: docs/choose.md.

/// The inputs of a tree, in this order: numbers of a block of rows, and of the lengths of these
/// rows. `columns` are the matrix's.
inline constexpr std::array lane_input_names = std::to_array<std::string_view>(
    {"rows", "columns", "nonzeros", "density", "shortest_row", "longest_row", "mean_row",
     "row_variance", "longest_minus_mean", "root_of_mean", "row_variation"});

namespace detail::csr {

/// The inputs named by lane_input_names.
struct LaneInputs {
  double of[lane_input_names.size()];
};

/// The inputs for a block of `rows` rows, at least 1, from the sum, the sum of squares, the minimum
/// and the maximum of their lengths.
KOKKOS_INLINE_FUNCTION LaneInputs lane_inputs(double rows, double columns, double nonzeros,
                                              double squares, double shortest, double longest) {
  const double mean = nonzeros / rows;
  const double spread = (rows * squares - nonzeros * nonzeros) / (rows * rows);
  const double variance = spread > 0 ? spread : 0;
  const double density = columns > 0 ? nonzeros / (rows * columns) : 0;
  const double variation = mean > 0 ? Kokkos::sqrt(variance) / mean : 0;
  return {{rows, columns, nonzeros, density, shortest, longest, mean, variance, longest - mean,
           Kokkos::sqrt(mean), variation}};
}

}  // namespace detail::csr

/// Trees that choose the lanes for a row of a block: the base-2 logarithm by a majority of the
/// leaves, the lowest if several tie.
struct LaneForest {
  /// Largest value of a leaf: wavefronts have 64 lanes.
  static constexpr int most_bits = 6;
  static constexpr int most_trees = 255;
  std::vector<ModelTree> trees;
};

namespace detail {

/// A number in the text of a scheme, and `fallback` if there is none.
inline double number_of(const std::string& text, double fallback) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && stop != text.data() ? value : fallback;
}

}  // namespace detail

/// Rows of the slices whose sectors of x are counted: the rows that a warp or wavefront computes
/// together.
inline int sector_slice_rows(const Device& device) {
  return std::max(RowFeatures::slice_rows, device.lanes);
}

/// The objects from which a model of products computes its inputs: a matrix on a device, and a
/// scheme for which a formula predicts `seconds`.
struct MatrixToPredict {
  const Features& features;
  const Device& device;
  const Sizes& sizes;
  const PatternFeatures& all = features.pattern();

  double an_entry(std::int64_t count) const {
    return detail::share(static_cast<double>(count), all.nonzeros);
  }
  double cache() const {
    return device.cache_bytes > 0 ? static_cast<double>(device.cache_bytes) : 32e6;
  }
};
struct SchemeToPredict {
  const Scheme& scheme;
  double seconds;

  double number(const char* key) const {
    return scheme.has(key) ? detail::number_of(scheme.value(key), 1) : 1;
  }
};

namespace detail {

template <int rows>
double slots_an_entry(const MatrixToPredict& A) {
  static_assert(rows <= RowFeatures::slice_rows);
  return A.an_entry(A.all.slots_of_groups(rows));
}
template <int size>
double blocks_an_entry(const MatrixToPredict& A) {
  return A.an_entry(A.features.blocks(size, size));
}
/// Number of sectors of 32 bytes of x that slices of sector_slice_rows rows read, for each entry.
inline double sectors_an_entry(const MatrixToPredict& A) {
  const int sector = std::max(1, 32 / A.sizes.vector_bytes);
  return A.an_entry(A.features.blocks(sector_slice_rows(A.device), sector));
}

}  // namespace detail

/// The inputs of a model of products, those of the matrix and those of the scheme; those that end
/// in _log are base-2 logarithms. They need the pattern, and samples of blocks.
inline constexpr auto matrix_model_inputs = std::to_array<ModelInput<MatrixToPredict>>({
    {"rows_log", [](const auto& A) { return detail::log2_of(A.all.rows); }},
    {"columns_log", [](const auto& A) { return detail::log2_of(A.all.columns); }},
    {"nonzeros_log", [](const auto& A) { return detail::log2_of(A.all.nonzeros); }},
    {"mean_row_log", [](const auto& A) { return detail::log2_of(A.all.mean_row()); }},
    {"row_variation", [](const auto& A) { return A.all.row_variation(); }},
    {"longest_over_mean_log",
     [](const auto& A) {
       return detail::log2_of((static_cast<double>(A.all.longest_row) + 1) /
                              (A.all.mean_row() + 1));
     }},
    {"empty_share",
     [](const auto& A) {
       return detail::share(static_cast<double>(A.all.empty_rows), A.all.rows);
     }},
    {"slots_of_2", detail::slots_an_entry<2>},
    {"slots_of_4", detail::slots_an_entry<4>},
    {"slots_of_8", detail::slots_an_entry<8>},
    {"slots_of_16", detail::slots_an_entry<16>},
    {"slots_of_32", detail::slots_an_entry<32>},
    {"bytes_over_cache_log",
     [](const auto& A) { return detail::log2_of(csr_least_bytes(A.all, A.sizes) / A.cache()); }},
    {"x_over_cache_log",
     [](const auto& A) {
       return detail::log2_of(static_cast<double>(A.all.columns) * A.sizes.vector_bytes /
                              A.cache());
     }},
    {"rows_a_lane_log",
     [](const auto& A) {
       return detail::log2_of(
           static_cast<double>(A.all.rows) /
           (static_cast<double>(A.device.multiprocessors) * A.device.threads_per_multiprocessor));
     }},
    {"bandwidth_share",
     [](const auto& A) {
       return detail::share(static_cast<double>(A.all.lower_bandwidth + A.all.upper_bandwidth + 1),
                            A.all.rows + A.all.columns);
     }},
    {"diagonals_log", [](const auto& A) { return detail::log2_of(A.all.diagonals); }},
    {"narrow_share", [](const auto& A) { return A.all.narrow_slice_share(); }},
    {"blocks_of_2", detail::blocks_an_entry<2>},
    {"blocks_of_3", detail::blocks_an_entry<3>},
    {"sectors", detail::sectors_an_entry},
});
inline constexpr auto scheme_model_inputs = std::to_array<ModelInput<SchemeToPredict>>({
    {"lanes_log",
     [](const auto& one) { return std::log2(one.number("lanes") * one.number("subwarp")); }},
    {"sigma_log", [](const auto& one) { return std::log2(one.number("sigma")); }},
    {"block", [](const auto& one) { return detail::number_of(one.scheme.kernel(), 0); }},
    {"predicted_log", [](const auto& one) { return detail::log2_of(1e6 * one.seconds); }},
});
inline constexpr std::size_t matrix_input_count = matrix_model_inputs.size();

using ModelInputs = std::array<double, matrix_input_count + scheme_model_inputs.size()>;

/// The names of the inputs, in the order of ModelInputs.
inline constexpr auto model_input_names = names_of(matrix_model_inputs, scheme_model_inputs);

/// The inputs of the matrix; those of a scheme are 0.
inline ModelInputs matrix_inputs(const Features& features, const Device& device,
                                 const Sizes& sizes) {
  ModelInputs inputs{};
  std::ranges::copy(inputs_of(matrix_model_inputs, {features, device, sizes}), inputs.begin());
  return inputs;
}
/// Sets the inputs of a scheme, for which a formula predicts `seconds`.
inline void set_scheme_inputs(ModelInputs& inputs, const Scheme& scheme, double seconds) {
  std::ranges::copy(inputs_of(scheme_model_inputs, {scheme, seconds}),
                    inputs.begin() + matrix_input_count);
}

/// The group of schemes that share a model: those of one format, except that CSR's are grouped by
/// their kernels, where scalar is a subwarp of one lane.
inline std::string model_group(const Scheme& scheme) {
  if (scheme.format() != "csr") return scheme.format();
  if (scheme.has("subwarp") || scheme.kernel() == "scalar") return "csr/subwarp";
  if (scheme.has("search") && scheme.value("search") == "apply") return "csr/merge,search=apply";
  return "csr/" + scheme.kernel();
}

/// Corrections of the formulas of `choose`, trained by measurements on a device: boosted regression
/// trees (J. Friedman, Greedy function approximation: a gradient boosting machine, 2001), several
/// for each group of schemes (model_group). Their sum is the logarithm of measured over predicted
/// seconds.
///
/// A plain value: equal inputs give equal results everywhere. Read one with read_model
/// (<heddle/model.hpp>), train one with perf_tests/model/train.py.
class Model {
 public:
  /// The device, scalar and vectors that it was trained for; it applies to no others.
  std::string device;
  int scalar_bytes = 8;
  std::int64_t vectors = 1;
  bool apart = true;
  /// Weight of the trees, 0 to 1.
  double share = 1;
  /// Another format is chosen only if it is predicted to be faster than CSR by at least this
  /// factor, the uncertainty of the model.
  double margin = 0;
  std::map<std::string, std::vector<ModelTree>> groups;
  /// Whether it corrects predictions; false if it only has `lanes`.
  bool corrects = true;
  /// Lanes for the blocks of csr/blocks; without trees if none were learned.
  LaneForest lanes;

  /// Whether it was trained for such plans on such a device.
  bool is_for(const Device& its_device, const Sizes& sizes) const {
    const bool as_many = sizes.vectors.count == vectors;
    return its_device.name == device && sizes.scalar_bytes == scalar_bytes && as_many &&
           (vectors == 1 || sizes.vectors.apart == apart);
  }

  /// Expected over predicted seconds of a scheme; 1 for a group that is not in the model.
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
