// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../../core/words.hpp"

namespace heddle {

/// The type that factors are stored in: the matrix's scalar, or its single precision, so that a
/// solve reads fewer bytes. Factors are computed in the matrix's scalar, which is also the type of
/// b and x.
enum class FactorValues { same, single_precision };
template <>
inline constexpr detail::Word<FactorValues> detail::words<FactorValues>[] = {
    {FactorValues::same, "same"}, {FactorValues::single_precision, "single-precision"}};

/// Options of incomplete factors. Every default is sensible.
struct IluOptions {
  /// The k of ILU(k) and IC(k): fill up to this level is kept. Entries of the matrix have level 0;
  /// fill from entries of levels a and b has level a + b + 1.
  int fill_level = 0;
  /// The smallest magnitude of a pivot, in the unit of A; 0: pivots stay as they are. With LU a
  /// smaller pivot is replaced by one of this magnitude with its sign, or its phase if complex; a
  /// zero pivot becomes this number. With Cholesky every lower pivot, a negative one too, becomes
  /// this number.
  double pivot_floor = 0;
  /// How often a factorization with a bad pivot is repeated, 0 to 64: with A + alpha diag(A), where
  /// alpha is 0.001 first and doubles each time, until no pivot is bad. diagonal_growth() of the
  /// plan is the alpha of its factors. Every factorization starts with alpha 0. If retries is not
  /// 0, update_values waits for the device after each try. A zero on the diagonal does not grow.
  ///
  /// Source: T. Manteuffel, "An incomplete factorization technique for positive definite linear
  /// systems", Math. Comput. 34 (1980).
  int retries = 0;
  /// Every block of block_size x block_size that holds an entry counts as full, and levels are
  /// those of blocks: block ILU, whose pivots are blocks.
  int block_size = 1;
  /// Number of subdomains: the rows are divided into this many ranges of equal length, and entries
  /// between two ranges are dropped.
  int subdomains = 1;
  /// The number of the subdomain of each row, for instance from a partitioner, instead of equal
  /// ranges; length A.rows(). With blocks the first row of a block decides.
  std::vector<int> partition = {};
  /// The type that factors are stored in for the solves.
  FactorValues factor_values = FactorValues::same;
  /// The vectors that b will hold: SptrsvOptions::vectors. Any number works.
  ExpectedVectors vectors = {};
  /// Ops that IluPlan will apply besides Op::none and Op::conjugate. IcPlan applies every op.
  std::vector<Op> ops = {};
  /// Number of applies that the plan is made for; the choice of the solves weighs their inspection
  /// against it.
  std::int64_t expected_applies = 1000;
  /// Pins the scheme of the factorization.
  std::optional<Scheme> scheme = std::nullopt;
  /// Pins the schemes of the solves.
  std::optional<Scheme> sptrsv_scheme = std::nullopt;
  /// Seconds that each solve may spend on measuring the best-ranked schemes:
  /// SptrsvOptions::measure_seconds. The factorization is not measured.
  double measure_seconds = 0;
  /// A file that keeps the results of measure_seconds: SpmvOptions::cache.
  std::string cache = {};
  /// CPU threads that factorization and solves are scheduled for; 0: the execution space's threads,
  /// at most one for each processor.
  int threads = 0;
  /// Whether update_values and residual check that A has the inspected pattern, with a launch and a
  /// wait, and throw Error if not. Default: in debug builds (without NDEBUG). Without the check
  /// another pattern of the same size gives wrong numbers, but no access outside the plan's memory.
  bool check_pattern = heddle::detail::asserts;
};

/// The options of incomplete Cholesky factors.
using IcOptions = IluOptions;

}  // namespace heddle
