// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"

namespace heddle {

/// What factors are stored in: the matrix's scalar, or single precision of it, so that a solve
/// reads fewer bytes. They are made in the matrix's scalar, which b and x are of too.
enum class FactorValues { same, single_precision };

/// What a user may say about incomplete factors; every default is sensible.
struct IluOptions {
  /// k of ILU(k) and IC(k): fill of a level up to this is kept. An entry of the matrix has level 0,
  /// and fill that entries of levels a and b make has level a + b + 1.
  int fill_level = 0;
  /// A floor of pivots, in the unit of A. Of LU a pivot of a smaller magnitude gets this one, and
  /// keeps its sign, or its phase where it is complex; a pivot of zero becomes this number. Of a
  /// Cholesky factorization each pivot below it, a negative one too, becomes this number. 0: pivots
  /// are taken as they are.
  double pivot_floor = 0;
  /// How often a factorization with a bad pivot is tried again, 0 to 64: of A + alpha diag(A), with
  /// an alpha of 0.001 at first and twice as much each time, until no pivot is bad. The plan's
  /// diagonal_growth() is the alpha of its factors. Every factorization begins with 0. Where this
  /// is not 0, update_values waits for the device after each try. A zero on the diagonal does not
  /// grow.
  ///
  /// Source: T. Manteuffel, "An incomplete factorization technique for positive definite linear
  /// systems", Math. Comput. 34 (1980).
  int retries = 0;
  /// Every block of block_size x block_size that holds an entry is taken to be full, and levels are
  /// those of blocks: the factors are those of block ILU, whose pivots are blocks.
  int block_size = 1;
  /// Rows are cut into so many runs of equal length, and entries between them are dropped.
  int subdomains = 1;
  /// Of each row the number of its subdomain, in place of such runs: a partitioner's. With blocks
  /// that of a block's first row counts.
  std::vector<int> partition = {};
  /// What the factors are stored in for the solves.
  FactorValues factor_values = FactorValues::same;
  /// The vectors that b will hold: SptrsvOptions::vectors. It may hold any number.
  ExpectedVectors vectors = {};
  /// Ops that IluPlan will apply besides Op::none and Op::conjugate. IcPlan applies every op.
  std::vector<Op> ops = {};
  /// How often factors will be applied; the choice of the solves weighs their inspection by that.
  std::int64_t expected_applies = 1000;
  /// Pins the scheme of the factorization.
  std::optional<Scheme> scheme = std::nullopt;
  /// Pins the schemes of the solves.
  std::optional<Scheme> sptrsv_scheme = std::nullopt;
  /// Seconds that each solve may spend on measuring the schemes that come first:
  /// SptrsvOptions::measure_seconds. The factorization is not measured.
  double measure_seconds = 0;
  /// A file that remembers what measure_seconds found: SpmvOptions::cache.
  std::string cache = {};
  /// Threads of a CPU that factorization and solves are scheduled for; 0: as many as the execution
  /// space has and have a processor each.
  int threads = 0;
  /// Whether update_values and residual check that A has the pattern that was inspected, which is
  /// an Error if not, for a launch and a wait. By default in debug builds (without NDEBUG).
  /// Elsewhere another pattern of the same size gives some numbers, in the plan's own memory.
  bool check_pattern = heddle::detail::asserts;
};

/// The same of incomplete Cholesky factors.
using IcOptions = IluOptions;

}  // namespace heddle
