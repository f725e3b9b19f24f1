// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// Seconds of repetitions of one thing.
struct Samples {
  std::vector<double> seconds;

  bool empty() const { return seconds.empty(); }
  double min() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double max() const { return *std::max_element(seconds.begin(), seconds.end()); }
  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
};

enum class Verdict { ok, wrong, unverified, unsupported };

inline const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::wrong: return "wrong";
    case Verdict::unverified: return "unverified";
    case Verdict::unsupported: return "unsupported";
  }
  return "?";
}

struct ContestantResult {
  std::string name;
  bool scheme = false;  // of Heddle; else a baseline
  bool chosen = false;  // what `choose` took
  Verdict verdict = Verdict::unverified;
  std::string note;
  /// Largest error over its bound, of all rows: at most 1 where the result is right.
  double error_over_bound = 0;
  double first_setup_seconds = 0;
  Samples setup;
  Samples time;     // one apply, the queue empty before
  Samples queued;   // one of several applies behind each other
  Samples latency;  // from the call to the end of the fence after it, by the host's clock
  std::size_t bytes = 0;

  bool timed() const { return !time.empty(); }
  bool right() const { return verdict == Verdict::ok || verdict == Verdict::unverified; }
};

struct MatrixFeatures {
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  std::int64_t min_row = 0, max_row = 0, empty_rows = 0;
  double mean_row = 0, variation = 0;  // variation: standard deviation over mean, of row lengths
  std::size_t csr_bytes = 0;
};

struct MatrixResult {
  std::string name, source;
  MatrixFeatures features;
  /// CSR's minimum for one apply: values, column indices, row pointer, x once, y once.
  std::size_t apply_bytes = 0;
  std::string chosen_scheme, choice_reason;
  double prepare_seconds = 0;  // reading or generating
  std::vector<ContestantResult> contestants;

  double gbytes_per_second(const ContestantResult& c) const {
    return 1e-9 * static_cast<double>(apply_bytes) / c.time.median();
  }
  /// The fastest baseline that was right, or null.
  const ContestantResult* best_baseline() const { return best(false); }
  const ContestantResult* best_scheme() const { return best(true); }

 private:
  const ContestantResult* best(bool scheme) const {
    const ContestantResult* found = nullptr;
    for (const auto& c : contestants) {
      if (c.scheme != scheme || !c.timed() || !c.right()) continue;
      if (!found || c.time.median() < found->time.median()) found = &c;
    }
    return found;
  }
};

}  // namespace heddle::bench
