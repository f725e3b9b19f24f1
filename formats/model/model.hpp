// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"
#include "lanes.hpp"
#include "tree.hpp"

namespace heddle {

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
