// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../../core/words.hpp"
#include "../ordered/sweep.hpp"

namespace heddle {

/// The order in which a sweep visits rows.
enum class GaussSeidelOrder {
  natural,    ///< ascending rows, or descending in a backward half sweep
  multicolor  ///< by colors, whose rows do not depend on each other: more parallel; other results
};

template <>
inline constexpr detail::Word<GaussSeidelOrder> detail::words<GaussSeidelOrder>[] = {
    {GaussSeidelOrder::natural, "natural"}, {GaussSeidelOrder::multicolor, "multicolor"}};

/// Options of Gauss-Seidel. Every default is sensible.
struct GaussSeidelOptions {
  /// The half sweeps of one apply.
  SweepDirection sweep = SweepDirection::symmetric;
  /// Relaxation factor, more than 0 and less than 2: 1 is Gauss-Seidel, others are SOR and SSOR.
  double omega = 1;
  /// The order in which rows are swept.
  GaussSeidelOrder order = GaussSeidelOrder::natural;
  /// Rows of a block, 1 to 8. The unknowns of a block are solved for together: blocks replace
  /// entries, and inverses of diagonal blocks those of diagonal entries.
  int block_size = 1;
  /// Pins the scheme, for instance "gauss-seidel/point-to-point"; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// Seconds that the plan may spend on measuring sweeps by the best-ranked schemes; it keeps the
  /// fastest: SptrsvOptions::measure_seconds. gauss-seidel/split is not measured. If it is pinned,
  /// its solves and products are measured, each for this many seconds.
  double measure_seconds = 0;
  /// A file that keeps the results of measure_seconds: SpmvOptions::cache.
  std::string cache = {};
  /// The vectors that b will hold. Any number works; the plan reserves memory to sweep this many at
  /// once, up to 64.
  ExpectedVectors vectors = {};
  /// Number of applies that the plan is made for; the choices weigh the inspection against it.
  std::int64_t expected_applies = 1000;
  /// CPU threads that half sweeps are scheduled for; 0: the execution space's threads, at most one
  /// for each processor. They run on any number of threads.
  int threads = 0;
  /// Whether overlapping sweeps of one plan are detected: SptrsvOptions::check_overlap.
  bool check_overlap = heddle::detail::asserts;
  /// Whether update_values compares patterns: SptrsvOptions::check_pattern.
  bool check_pattern = heddle::detail::asserts;
  /// With gauss-seidel/split pinned: pins the scheme of its triangular solves. Else throws Error.
  std::optional<Scheme> sptrsv_scheme = std::nullopt;
  /// With gauss-seidel/split pinned: pins the scheme of its products. Else throws Error.
  std::optional<Scheme> spmv_scheme = std::nullopt;
};

}  // namespace heddle
