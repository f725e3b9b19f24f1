// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../common/progress.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// The benchmark compiled for one scalar and one width of offsets, in a translation unit of its
/// own: instance.cpp, compiled once a pair.
struct SpmvInstance {
  std::string scalar;
  int offset_bits;
  MatrixResult (*run)(const SpmvRequest&, const Source&, Progress&);
  std::vector<std::string> (*scheme_names)();
  /// Name and description of each.
  std::vector<std::pair<std::string, std::string>> (*baseline_names)();
};

inline std::vector<SpmvInstance>& spmv_instances() {
  static std::vector<SpmvInstance> list;
  return list;
}

}  // namespace heddle::bench
