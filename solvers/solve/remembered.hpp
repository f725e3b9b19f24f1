// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "../../core/device.hpp"
#include "../../core/tuning_cache.hpp"
#include "../../formats/plan/cache_key.hpp"
#include "options.hpp"
#include "report.hpp"

/// Pairs by name, and those that a tuning cache remembers.
namespace heddle::detail::solve {

/// The pair of a text such as "cg/multigrid", without a price. Throws Error if there is none.
inline SolvePair pair_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  SolvePair pair;
  pair.method = value_of<SolveMethod>("the method of options.pair", text.substr(0, slash));
  pair.preconditioner = value_of<SolvePreconditioner>(
      "the preconditioner of options.pair",
      slash == std::string::npos ? std::string() : text.substr(slash + 1));
  return pair;
}

/// The key of a choice: all that it depends on except the values. Reads the pattern, and waits.
template <ExecutionSpace Exec, class Matrix>
std::string cache_key_of(const Exec& exec, const Matrix& A, const Device& device,
                         const SolveOptions& options, double tolerance) {
  using S = typename Matrix::scalar_type;
  std::string key = cache_key<S, S>("solve", exec, A, device) + " to " + number_text(tolerance) +
                    ", " + std::to_string(options.expected_solves) + " solves, blocks of " +
                    std::to_string(options.block_size) + ", " +
                    std::to_string(options.near_nullspace.count()) + " near-nullspace vectors";
  if (options.positive_definite) key += *options.positive_definite ? ", definite" : ", indefinite";
  if (!options.direct.empty()) key += ", direct";
  if (options.max_bytes != no_bound) key += ", bytes " + std::to_string(options.max_bytes);
  return as_key(std::move(key));
}

/// The pair that solved a system of the pattern, with the iterations that it took.
inline std::optional<SolvePair> remembered_pair(const TuningCache& cache, const std::string& key) {
  const std::optional<TuningCache::Entry> entry = cache.find(key);
  const std::size_t comma = entry ? entry->scheme.find(',') : std::string::npos;
  if (comma == std::string::npos) return std::nullopt;
  const char* const end = entry->scheme.data() + entry->scheme.size();
  int iterations = 0;
  if (std::from_chars(entry->scheme.data() + comma + 1, end, iterations).ptr != end ||
      iterations < 1) {
    return std::nullopt;
  }
  try {
    SolvePair pair = pair_of(entry->scheme.substr(0, comma));
    pair.iterations = iterations;
    return pair;
  } catch (const Error&) {
    return std::nullopt;
  }
}
/// Adds a pair. Returns what was done, in words.
inline std::string remember(const TuningCache& cache, const std::string& key, const SolvePair& pair,
                            double seconds) {
  const int iterations = static_cast<int>(pair.iterations + 0.5);
  const std::string problem =
      cache.add(key, {pair.name() + "," + std::to_string(iterations), seconds});
  return problem.empty() ? "added to " + cache.path()
                         : cache.path() + " could not be written: " + problem;
}

}  // namespace heddle::detail::solve
