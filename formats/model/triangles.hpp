// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A learned choice of the scheme of triangular solves on a device: docs/choose.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/device.hpp"
#include "../../core/multivector.hpp"
#include "../../core/triangle_features.hpp"
#include "input.hpp"

namespace heddle {

/// The inputs of a model of triangular solves: TriangleFeatures with their names; an input x that
/// ends in _log is log2(1 + x).
///
/// Source: Z. Hu et al., "AG-SpTRSV: an automatic framework to optimize sparse triangular solve on
/// GPUs", TACO 2024, for these ten inputs and for the network.
inline constexpr auto triangle_model_inputs = std::to_array<ModelInput<TriangleFeatures>>({
    {"rows_log", [](const auto& T) { return detail::log2_of_one_more(T.rows); }},
    {"entries_log", [](const auto& T) { return detail::log2_of_one_more(T.entries); }},
    {"mean_row_log", [](const auto& T) { return detail::log2_of_one_more(T.row_entries.mean); }},
    {"max_row_log", [](const auto& T) { return detail::log2_of_one_more(T.row_entries.max); }},
    {"cv_row", [](const auto& T) { return T.row_entries.variation; }},
    {"mean_level_rows_log",
     [](const auto& T) { return detail::log2_of_one_more(T.level_rows.mean); }},
    {"max_level_rows_log",
     [](const auto& T) { return detail::log2_of_one_more(T.level_rows.max); }},
    {"cv_level_rows", [](const auto& T) { return T.level_rows.variation; }},
    {"dep_dist", [](const auto& T) { return T.dep_dist; }},
    {"levels_log", [](const auto& T) { return detail::log2_of_one_more(T.levels); }},
});
inline constexpr auto triangle_input_names = names_of(triangle_model_inputs);
using TriangleInputs = std::array<double, triangle_model_inputs.size()>;

inline TriangleInputs triangle_inputs(const TriangleFeatures& features) {
  return inputs_of(triangle_model_inputs, features);
}

/// A model of triangular solves, trained on a device: a perceptron that predicts for each scheme
/// whether it is within 15 % of the best for a triangle.
///
/// A plain value: equal inputs give equal results. Read one with read_triangle_model
/// (<heddle/model.hpp>), train one with perf_tests/model/train.py.
class TriangleModel {
 public:
  /// A layer of neurons, each with a bias and one weight for each neuron of the layer before.
  struct Layer {
    std::size_t inputs = 0;
    std::vector<double> bias;
    std::vector<double> weights;  ///< those of neuron 0, then of neuron 1, ...
  };

  /// Number of terms: the inputs, and the products of each input with itself and all later ones.
  static constexpr std::size_t terms =
      triangle_input_names.size() * (triangle_input_names.size() + 3) / 2;

  /// The device, scalar and vectors that it was trained for; it applies to no others.
  std::string device;
  int scalar_bytes = 8;
  std::int64_t vectors = 1;
  bool apart = true;
  /// Threads of a CPU; multiprocessors of a GPU.
  int threads = 0;
  /// Number of solves among which the set-up was shared: the model applies to no fewer solves.
  std::int64_t applies = 1000;
  /// Means and divisors that normalize the terms.
  std::array<double, terms> center = {}, scale = {};
  /// All layers but the last set negative values to zero.
  std::vector<Layer> layers;
  /// The scheme of each neuron of the last layer.
  std::vector<std::string> schemes;

  /// Whether it was trained for such a plan on such a device. The caller checks scalar_bytes.
  bool is_for(const Device& its_device, int its_threads, const ExpectedVectors& its_vectors,
              std::int64_t its_applies) const {
    return its_device.name == device && its_threads == threads && its_applies >= applies &&
           its_vectors.count == vectors && (vectors == 1 || its_vectors.apart == apart);
  }

  /// A score for each scheme: above 0 if it is more likely within 15 % of the best than not.
  std::vector<double> scores(const TriangleInputs& inputs) const {
    std::vector<double> values(inputs.begin(), inputs.end()), next;
    values.reserve(terms);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t j = i; j < inputs.size(); ++j) values.push_back(inputs[i] * inputs[j]);
    }
    for (std::size_t i = 0; i < terms; ++i) values[i] = (values[i] - center[i]) / scale[i];
    for (std::size_t at = 0; at < layers.size(); ++at) {
      const Layer& layer = layers[at];
      next = layer.bias;
      for (std::size_t neuron = 0; neuron < next.size(); ++neuron) {
        const double* const weights = layer.weights.data() + neuron * layer.inputs;
        for (std::size_t i = 0; i < layer.inputs; ++i) next[neuron] += weights[i] * values[i];
        if (at + 1 < layers.size()) next[neuron] = std::max(0.0, next[neuron]);
      }
      values.swap(next);
    }
    return values;
  }

  /// The score as a probability, 0 to 1.
  static double likelihood(double score) { return 1 / (1 + std::exp(-score)); }
};

}  // namespace heddle
