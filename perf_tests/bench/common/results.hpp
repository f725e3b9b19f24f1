// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/features.hpp"
#include "../../../core/scheme.hpp"

namespace heddle::bench {

/// A picture of the pattern of a matrix, small enough for a results file.
struct PatternPicture {
  /// The matrix as at most 64 x 64 cells, one string for each line of cells: ' ' for a cell without
  /// entries, else '9' if more than a quarter of its places hold one, and one less for each factor
  /// of four, down to '1'.
  std::vector<std::string> lines;
  /// Numbers of rows with 0, 1, 2 to 3, 4 to 7, ... entries, up to the longest row.
  std::vector<std::int64_t> row_lengths;
};

inline char shade(std::int64_t entries, double places) {
  if (entries == 0) return ' ';
  const double share = std::min(1.0, static_cast<double>(entries) / places);
  const int steps = static_cast<int>(std::floor(-0.5 * std::log2(share)));
  return static_cast<char>('0' + std::clamp(9 - std::max(0, steps), 1, 9));
}

/// The picture of a CSR matrix on the host. Cells have equal size up to rounding; a matrix with
/// fewer than 64 rows or columns has one line or column of cells for each.
template <class Matrix>
PatternPicture picture_of(const Matrix& A) {
  constexpr std::int64_t most_cells = 64;
  const std::int64_t rows = A.rows(), columns = A.columns();
  const std::int64_t lines = std::min(most_cells, rows), width = std::min(most_cells, columns);
  std::vector<std::int64_t> entries(static_cast<std::size_t>(lines * width), 0);
  PatternPicture picture;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto begin = static_cast<std::int64_t>(A.row_ptr()(i));
    const auto end = static_cast<std::int64_t>(A.row_ptr()(i + 1));
    const auto bin =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(end - begin)));
    if (picture.row_lengths.size() <= bin) picture.row_lengths.resize(bin + 1, 0);
    ++picture.row_lengths[bin];
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t column = std::int64_t{A.col_idx()(k)} * width / columns;
      ++entries[static_cast<std::size_t>(i * lines / rows * width + column)];
    }
  }
  if (width == 0) return picture;
  const double places = static_cast<double>(rows) / static_cast<double>(lines) *
                        static_cast<double>(columns) / static_cast<double>(width);
  for (std::int64_t line = 0; line < lines; ++line) {
    std::string cells;
    for (std::int64_t column = 0; column < width; ++column) {
      cells += shade(entries[static_cast<std::size_t>(line * width + column)], places);
    }
    picture.lines.push_back(cells);
  }
  return picture;
}

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// Seconds of the repetitions of one measurement.
struct Samples {
  std::vector<double> seconds;

  bool empty() const { return seconds.empty(); }
  double min() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double max() const { return *std::max_element(seconds.begin(), seconds.end()); }
  double median() const { return quantile(0.5); }
  /// The quantile for a share, interpolated between neighbouring samples.
  double quantile(double share) const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
  }
  /// Relative error of the median: half of its 95 % confidence interval, between two of the sorted
  /// samples (normal approximation of their ranks), over the median; infinite below 6 samples.
  double median_error() const {
    constexpr std::size_t fewest = 6;
    if (seconds.size() < fewest || median() <= 0) return std::numeric_limits<double>::infinity();
    const double most = static_cast<double>(seconds.size() - 1);
    const double reach = 0.98 * std::sqrt(static_cast<double>(seconds.size())) / most;
    return 0.5 * (quantile(std::min(1.0, 0.5 + reach)) - quantile(std::max(0.0, 0.5 - reach))) /
           median();
  }
  /// Interquartile range over the median; 0 for fewer than 3 samples.
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

/// Device allocations of an operation, the time of these repeated alone, and the number of times
/// that the host waits in the operation.
struct Allocations {
  int count = 0;
  std::size_t bytes = 0;
  int waits = 0;
  /// Whether `time` includes the release of all blocks, as for a conversion; a set-up keeps them.
  bool with_release = false;
  Samples time;
};

/// One level of a multigrid hierarchy.
struct LevelResult {
  std::int64_t rows = 0, entries = 0;
  std::string scheme, smoother;
  std::size_t bytes = 0;
  double seconds = 0;  // its part of a cycle
};

struct ContestantResult {
  std::string name;
  bool is_scheme = false;  // a scheme of Heddle; else a baseline
  bool chosen = false;     // whether `choose` chose it
  Verdict verdict = Verdict::unverified;
  /// Details of the run that the name does not have, or why it did not run.
  std::string note;
  /// The scheme that ran, with all its parameters; empty for baselines.
  std::string scheme;
  /// Largest error of all rows over its bound: at most 1 if the result is right.
  double error_over_bound = 0;
  double first_setup_seconds = 0;
  Samples setup;
  Samples time;     // one apply on an empty queue
  Samples queued;   // one of several queued applies
  Samples latency;  // one apply from the call to the end of a fence, by the host's clock
  Samples update;   // an update of the values, if there is one
  /// Products with the matrix in a solve, or in a solve with a preconditioner; else empty.
  std::optional<int> iterations;
  /// Levels of a multigrid hierarchy, the finest first.
  std::vector<LevelResult> levels;
  /// Allocations of one set-up, or of one conversion.
  std::optional<Allocations> allocations;
  std::size_t bytes = 0;
  std::size_t moved_bytes = 0;  // bytes that one apply moves; 0 if unknown
  /// Seconds of an apply that `choose` predicts from the pattern.
  std::optional<double> predicted_seconds;
  /// The scheme's group in a cost model, and the inputs that depend on it; empty if unknown.
  std::string model_group;
  NamedNumbers model_inputs;

  bool timed() const { return !time.empty(); }
  bool right() const { return verdict == Verdict::ok || verdict == Verdict::unverified; }
  /// The set-up without its allocations and without its waits, each of which takes
  /// `readback_seconds`; empty if these are unknown.
  std::optional<double> setup_rest(double readback_seconds) const {
    if (!allocations || allocations->with_release || setup.empty()) return {};
    const double alone = allocations->time.median() + allocations->waits * readback_seconds;
    return std::max(0.0, setup.median() - alone);
  }
};

/// Facts of the triangle of a matrix that is solved with.
struct TriangleFacts {
  std::int64_t entries = 0;  // including the diagonal
  std::int64_t levels = 0;   // rows of the longest chain of dependencies
  /// Number of diagonal entries that were missing or zero and were set.
  std::int64_t diagonal_set = 0;
  /// Whether the solution is too large for the scalar or NaN, so that nothing could be verified.
  bool overflows = false;
  /// TriangleFeatures by their names: inputs of a model of the times.
  NamedNumbers features;
};

struct TimedScheme {
  /// The median, or the fastest run if the timing was stopped early.
  std::optional<double> seconds;
  /// Whether the scheme was too slow to be worth more runs.
  bool stopped_early = false;
};

/// A scheme that a search tried.
struct SearchedScheme {
  Scheme scheme;
  TimedScheme time;
  double setup_seconds = 0;
  /// Reason that it did not run.
  std::string note;
};

struct SearchResult {
  /// The schemes in the order of their trials.
  std::vector<SearchedScheme> schemes;
  /// The fastest scheme; empty if every candidate was refused.
  std::optional<SearchedScheme> best;
  /// Whether the search ended because nothing improves, not because its time was up.
  bool complete = false;
};

struct Spread {
  double mean = 0, median = 0, p90 = 0;
};

/// The rows of one level.
struct LevelWait {
  std::int64_t rows = 0;
  /// Share of the time between their starts and ends that passed before their last parents' ends.
  double waiting_share = 0;
};

/// Analysis of the times and dependencies of the rows of a solve.
struct TraceAnalysis {
  /// From the first start of a row to the last end.
  std::int64_t elapsed_ns = 0;
  /// Resolution of the clock: the smallest nonzero difference of two time stamps.
  std::int64_t clock_ns = 0;
  /// The critical path, first row first: traced back from the row that ended last, each time to the
  /// parent that ended last.
  std::vector<std::int32_t> path;
  /// From the last parent's end to a row's own end, for rows of the path with a parent; else 0.
  Spread handover_ns;
  /// Number of rows of the path that started after their last parent's end, and their delays' sum.
  std::int64_t late_rows = 0, late_ns = 0;
  /// LevelWait::waiting_share of all rows.
  double waiting_share = 0;
  std::vector<LevelWait> levels;
};

/// A traced solve of one scheme. Its path names rows; a group of rows is named by its first.
struct TracedSolve {
  std::string scheme;
  bool groups = false;  // whether the analysis is of groups of rows
  TraceAnalysis analysis;
};

struct MatrixResult {
  std::string name, source;
  RowFeatures rows;
  PatternPicture picture;
  std::optional<TriangleFacts> triangle;
  /// Bytes of the values, column indices and row pointer.
  std::size_t csr_bytes = 0;
  /// Bytes that one apply of CSR moves at least, which rates count.
  std::size_t apply_bytes = 0;
  std::string chosen_scheme, choice_reason;
  /// Explanation of the plan's choice of a scheme, in some lines; empty unless asked for.
  std::string explanation;
  /// Inputs of the cost model that depend on the matrix, by name.
  NamedNumbers model_inputs;
  /// Inputs that the lanes of csr/blocks are learned from: lane_input_names, of the mean block.
  NamedNumbers block_inputs;
  double prepare_seconds = 0;  // reading or generating
  std::optional<SearchResult> search;
  std::vector<ContestantResult> contestants;
  /// Times of the reference work, which runs unchanged before every block of repetitions.
  Samples reference;
  std::vector<TracedSolve> traces;

  double gbytes_per_second(const ContestantResult& c) const {
    return 1e-9 * static_cast<double>(apply_bytes) / c.time.median();
  }
  /// The fastest baseline that was right, or null.
  const ContestantResult* best_baseline() const;
};

/// The median time of a contestant.
inline double time_of(const ContestantResult& c) { return c.time.median(); }
/// The median times of one set-up and one apply.
inline double once(const ContestantResult& c) { return c.setup.median() + c.time.median(); }
/// The fastest contestant by `seconds` among those that ran, were right and satisfy `counts`; null
/// if there is none.
template <class Counts>
const ContestantResult* fastest(const MatrixResult& result, const Counts& counts,
                                double (*seconds)(const ContestantResult&) = time_of) {
  const ContestantResult* found = nullptr;
  for (const ContestantResult& c : result.contestants) {
    if (!c.timed() || !c.right() || !counts(c)) continue;
    if (!found || seconds(c) < seconds(*found)) found = &c;
  }
  return found;
}

inline const ContestantResult* MatrixResult::best_baseline() const {
  return fastest(*this, [](const ContestantResult& c) { return !c.is_scheme; });
}

}  // namespace heddle::bench
