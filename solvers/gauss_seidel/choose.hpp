// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../sptrsv/select/tuning.hpp"
#include "grammar.hpp"
#include "options.hpp"

namespace heddle::detail::gauss_seidel {

/// By how much threads must be predicted to be ahead of one, where rows stand in their own order.
/// The prediction was fitted to triangular solves; the order of levels scatters the three vectors
/// of a half sweep too, and two threads were ahead by as much less (docs/gauss-seidel.md).
inline constexpr double least_gain = 1.75;

/// The scheme that is pinned, checked; or what is taken by what is known before levels are; or
/// nothing where the wavefronts of a CPU choose (solvers/wavefronts/choose.hpp).
inline std::optional<Scheme> choose(std::int64_t rows, std::int64_t entries,
                                    const GaussSeidelOptions& options, const Device& device) {
  const SchemeGrammar legal = grammar(device);
  const bool natural = options.order == GaussSeidelOrder::natural;
  if (options.scheme) {
    const Scheme scheme = resolve(*options.scheme, std::span(&legal, 1));
    if (!natural && scheme.has("split")) {
      throw Error("scheme " + scheme.to_string() + " takes the rows in their own order",
                  "pin another, or leave out options.order");
    }
    if (options.block_size > 1 && (scheme.has("split") || scheme.has("hand-over"))) {
      throw Error("scheme " + scheme.to_string() + " has no blocks",
                  "pin another, or leave out options.block_size");
    }
    return scheme;
  }
  const auto named = [](const char* name) { return Scheme("gauss-seidel", {{name}}); };
  if (sptrsv::waits_on_lanes(device)) {
    const bool hands_over = natural && options.block_size == 1;
    return resolve(named(hands_over ? "hand-over" : "launches"), std::span(&legal, 1));
  }
  if (device.backend != BackendKind::host) return named("launches");
  const int threads = options.threads > 0 ? options.threads : device.multiprocessors;
  const bool looks = threads > 1 && rows * sptrsv::row_steps + entries / 2 > sptrsv::least_work;
  if (looks) return std::nullopt;
  return named("sequential");
}

}  // namespace heddle::detail::gauss_seidel
