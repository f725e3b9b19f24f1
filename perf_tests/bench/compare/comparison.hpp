// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
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

/// A contestant on a matrix, in two runs.
struct Change {
  std::string matrix, name;
  double before_seconds = 0, after_seconds = 0;
  /// Relative difference that counts: the largest of both spreads and `least`.
  double margin = 0;

  double ratio() const { return after_seconds / before_seconds; }
  bool slower() const { return ratio() > 1 + margin; }
  bool faster() const { return ratio() < 1 / (1 + margin); }
};

struct Comparison {
  /// Changes in the order of the first run.
  std::vector<Change> changes;
  /// "MATRIX: NAME", or "MATRIX", that only the first run has, and that only the second has.
  std::vector<std::string> lost, added;

  bool any_slower() const;
};

/// Compares every contestant of both runs, or those of `names` if there are any. A relative
/// difference below `least` never counts.
Comparison compare(const KeptRun& before, const KeptRun& after,
                   const std::vector<std::string>& names, double least);

/// Prints a line for each change beyond its margin, or with `all` for every one; then, for each
/// contestant, how many matrices are slower and faster and the geometric mean of the ratios.
void print(std::ostream& out, const Comparison& comparison, bool all);

}  // namespace heddle::bench
