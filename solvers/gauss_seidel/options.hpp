// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../ordered/sweep.hpp"

namespace heddle {

/// The order of the rows.
enum class GaussSeidelOrder {
  natural,    ///< their own
  multicolor  ///< by colors, of which no two rows depend on each other: more parallel, and other
              ///< numbers
};

/// In words.
constexpr const char* name(GaussSeidelOrder order) {
  return order == GaussSeidelOrder::natural ? "natural" : "multicolor";
}

/// What a user may say about Gauss-Seidel; every default is sensible.
struct GaussSeidelOptions {
  /// What one apply does.
  SweepDirection sweep = SweepDirection::symmetric;
  /// Relaxation, of more than 0 and less than 2: 1 is Gauss-Seidel, others are SOR and SSOR.
  double omega = 1;
  /// In which order rows are swept.
  GaussSeidelOrder order = GaussSeidelOrder::natural;
  /// Rows of a block, 1 to 8. Unknowns of a block are solved for together: it takes the place of an
  /// entry, and the inverse of a diagonal block that of a diagonal entry.
  int block_size = 1;
  /// Pins what runs, as "gauss-seidel/point-to-point"; by default it is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// Seconds that the plan may spend on sweeps by the schemes that come first, to keep the fastest:
  /// SptrsvOptions::measure_seconds. gauss-seidel/split is not among them, but where it is pinned,
  /// its solves and products are measured, for these seconds each.
  double measure_seconds = 0;
  /// A file that remembers what measure_seconds found: SpmvOptions::cache.
  std::string cache = {};
  /// The vectors that b will hold. It may hold any number; but room is kept to sweep so many at
  /// once, up to 64.
  ExpectedVectors vectors = {};
  /// How often the plan will be applied; the choices weigh the inspection against that.
  std::int64_t expected_applies = 1000;
  /// Threads of a CPU that half sweeps are scheduled for; 0: as many as the execution space has and
  /// have a processor each. They run on any number.
  int threads = 0;
  /// Whether to look for sweeps of one plan that overlap: as SptrsvOptions::check_overlap.
  bool check_overlap = heddle::detail::asserts;
  /// Whether update_values compares patterns: as SptrsvOptions::check_pattern.
  bool check_pattern = heddle::detail::asserts;
  /// Where gauss-seidel/split is pinned: pins the scheme of the triangular solves. Else an Error.
  std::optional<Scheme> sptrsv_scheme = std::nullopt;
  /// The same of the products with the other triangle.
  std::optional<Scheme> spmv_scheme = std::nullopt;
};

}  // namespace heddle
