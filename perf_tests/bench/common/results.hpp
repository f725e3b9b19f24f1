// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/features.hpp"
#include "../../../core/scheme.hpp"
#include "pattern_picture.hpp"

namespace heddle::bench {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// Seconds of repetitions of one thing.
struct Samples {
  std::vector<double> seconds;

  bool empty() const { return seconds.empty(); }
  double min() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double max() const { return *std::max_element(seconds.begin(), seconds.end()); }
  double median() const { return quantile(0.5); }
  /// The value that a share of them is not above, interpolated between neighbours.
  double quantile(double share) const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  }
  /// How far the median may be off, over itself: half of its 95 % interval of confidence, between
  /// two of the sorted samples (normal approximation of their ranks); infinite below 6 samples.
  double median_error() const {
    constexpr std::size_t fewest = 6;
    if (seconds.size() < fewest || median() <= 0) return std::numeric_limits<double>::infinity();
    const double most = static_cast<double>(seconds.size() - 1);
    const double reach = 0.98 * std::sqrt(static_cast<double>(seconds.size())) / most;
    return 0.5 * (quantile(std::min(1.0, 0.5 + reach)) - quantile(std::max(0.0, 0.5 - reach))) /
           median();
  }
  /// The range of the middle half over the median; 0 where nothing can be said.
  double spread() const {
    if (seconds.size() < 3 || median() <= 0) return 0;
    return (quantile(0.75) - quantile(0.25)) / median();
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

/// What something allocates on the device, and the time of that done again alone; and how often the
/// host waits in it.
struct Allocations {
  int count = 0;
  std::size_t bytes = 0;
  int waits = 0;
  /// Whether the time has the release of all of it, too, as of a conversion; a setup keeps it.
  bool with_release = false;
  Samples time;
};

/// One level of a multigrid.
struct LevelResult {
  std::int64_t rows = 0, entries = 0;
  std::string scheme, smoother;
  std::size_t bytes = 0;
  double seconds = 0;  // its part of a cycle
};

struct ContestantResult {
  std::string name;
  bool is_scheme = false;  // of Heddle; else a baseline
  bool chosen = false;     // what `choose` took
  Verdict verdict = Verdict::unverified;
  /// What ran, where the name does not say it all, or why nothing did.
  std::string note;
  /// The scheme that ran, nothing left open; empty of baselines.
  std::string scheme;
  /// Largest error over its bound, of all rows: at most 1 where the result is right.
  double error_over_bound = 0;
  double first_setup_seconds = 0;
  Samples setup;
  Samples time;     // one apply, the queue empty before
  Samples queued;   // one of several applies behind each other
  Samples latency;  // from the call to the end of the fence after it, by the host's clock
  Samples update;   // of the values, where it is an operation of its own
  /// Of a solve, or of one with it: products with the matrix.
  std::optional<int> iterations;
  /// Of multigrid, the finest first.
  std::vector<LevelResult> levels;
  /// Of one setup, or of one conversion.
  std::optional<Allocations> allocations;
  std::size_t bytes = 0;
  std::size_t moved_bytes = 0;  // what one apply really moves; 0 where nobody knows
  /// What `choose` predicts of an apply, the pattern seen.
  std::optional<double> predicted_seconds;
  /// Where that is known: who a model takes the scheme for, and what it is asked with of it.
  std::string model_group;
  NamedNumbers model_inputs;

  bool timed() const { return !time.empty(); }
  bool right() const { return verdict == Verdict::ok || verdict == Verdict::unverified; }
  /// The setup without its allocations and without the waits in it, each of which takes
  /// `readback_seconds`; nothing where they are not known.
  std::optional<double> setup_rest(double readback_seconds) const {
    if (!allocations || allocations->with_release || setup.empty()) return {};
    const double alone = allocations->time.median() + allocations->waits * readback_seconds;
    return std::max(0.0, setup.median() - alone);
  }
};

/// What a matrix was made of to be solved with.
struct TriangleFacts {
  std::int64_t entries = 0;  // the diagonal among them
  std::int64_t levels = 0;   // rows that must be solved one after the other
  /// Entries of the diagonal that were missing or zero and were set.
  std::int64_t diagonal_set = 0;
  /// Whether the solution is too large for the scalar or NaN, so that nothing could be verified.
  bool overflows = false;
  /// TriangleFeatures, by their names: what a model of the times may know of a triangle.
  NamedNumbers features;
};

struct TimedScheme {
  /// The median; of one that was stopped the fastest run.
  std::optional<double> seconds;
  /// Too slow to be worth more runs.
  bool stopped_early = false;
};

/// A scheme that a search tried.
struct SearchedScheme {
  Scheme scheme;
  TimedScheme time;
  double setup_seconds = 0;
  /// Why it did not run.
  std::string note;
};

struct SearchResult {
  /// In the order they were tried in.
  std::vector<SearchedScheme> schemes;
  /// None where every candidate was refused.
  std::optional<SearchedScheme> best;
  /// Whether it ended because nothing improves, and not because its time was up.
  bool complete = false;
};

struct Spread {
  double mean = 0, median = 0, p90 = 0;
};

/// The rows that need as many rows one after the other.
struct LevelWait {
  std::int64_t rows = 0;
  /// Of the time between their start and end, how much went by before their last parent's end.
  double waiting_share = 0;
};

/// When the rows of a solve were solved, as far as one rests on the other.
struct TraceAnalysis {
  /// From the first row to begin the solve with to the last to end.
  std::int64_t elapsed_ns = 0;
  /// What the clock moves on by: the least that two stamps differ in.
  std::int64_t clock_ns = 0;
  /// The critical path, first row first: walked back from the row that ended last, each time to the
  /// parent that ended last.
  std::vector<std::int32_t> path;
  /// Of the rows on it that have a parent: from the end of the last parent to their own. 0 of none.
  Spread handover_ns;
  /// How many of them were not begun when their last parent ended, and what that cost in all.
  std::int64_t late_rows = 0, late_ns = 0;
  /// Of all rows, as LevelWait.
  double waiting_share = 0;
  std::vector<LevelWait> levels;
};

/// A traced solve of one scheme; its path names rows: of a group the first.
struct TracedSolve {
  std::string scheme;
  bool groups = false;  // whether what is told of rows is told of groups of rows
  TraceAnalysis analysis;
};

struct MatrixResult {
  std::string name, source;
  RowFeatures rows;
  PatternPicture picture;
  std::optional<TriangleFacts> triangle;
  /// Values, column indices, row pointer.
  std::size_t csr_bytes = 0;
  /// The least that one apply of CSR moves, which rates count.
  std::size_t apply_bytes = 0;
  std::string chosen_scheme, choice_reason;
  /// Why a plan takes its scheme, in some lines; empty unless asked for.
  std::string explanation;
  /// What a model of the times of products is asked with, by name.
  NamedNumbers model_inputs;
  /// What the lanes of csr/blocks are learned from: lane_input_names, of the mean block.
  NamedNumbers block_inputs;
  double prepare_seconds = 0;  // reading or generating
  std::optional<SearchResult> search;
  std::vector<ContestantResult> contestants;
  /// Of work that is the same each time, done before every block of repetitions.
  Samples reference;
  std::vector<TracedSolve> traces;

  double gbytes_per_second(const ContestantResult& c) const {
    return 1e-9 * static_cast<double>(apply_bytes) / c.time.median();
  }
  /// The fastest baseline that was right, or null.
  const ContestantResult* best_baseline() const {
    const ContestantResult* found = nullptr;
    for (const auto& c : contestants) {
      if (c.is_scheme || !c.timed() || !c.right()) continue;
      if (!found || c.time.median() < found->time.median()) found = &c;
    }
    return found;
  }
};

}  // namespace heddle::bench
