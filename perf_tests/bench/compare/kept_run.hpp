// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

/// What a contestant took on a matrix. `spread` is the range of the middle half over the median,
/// or, of results that do not tell it, half of the whole range over the median.
struct KeptTime {
  std::string name;
  double seconds = 0;
  double spread = 0;
};

struct KeptMatrix {
  std::string name;
  /// Of those that ran and were right.
  std::vector<KeptTime> times;
};

/// Results of heddle-bench, as far as two of them are compared.
struct KeptRun {
  std::string operation, device, commit, date;
  /// What was asked for that changes the work: scalar, columns, triangle and the like.
  std::string settings;
  std::vector<KeptMatrix> matrices;
};

/// Reads what --json or --csv wrote, or perf_tests/results holds; a name that ends in .csv is CSV.
/// Throws Error if the file cannot be read or is none of these.
KeptRun read_run(const std::string& path);

}  // namespace heddle::bench
