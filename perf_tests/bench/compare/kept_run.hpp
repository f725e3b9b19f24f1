// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

/// Time of a contestant on a matrix. `spread` is the interquartile range over the median, or, if
/// the results lack it, half of the whole range over the median.
struct KeptTime {
  std::string name;
  double seconds = 0;
  double spread = 0;
};

struct KeptMatrix {
  std::string name;
  /// Times of the contestants that ran and were right.
  std::vector<KeptTime> times;
};

/// Results of heddle-bench, as far as a comparison needs them.
struct KeptRun {
  std::string operation, device, commit, date;
  /// Settings that change the work: scalar, columns, triangle and the like.
  std::string settings;
  std::vector<KeptMatrix> matrices;
};

/// Reads a file that --json or --csv wrote, or one of perf_tests/results; a name that ends in .csv
/// is CSV. Throws Error if the file cannot be read or is none of these.
KeptRun read_run(const std::string& path);

}  // namespace heddle::bench
