// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../ordered/check_threads.hpp"
#include "options.hpp"

namespace heddle::detail::ilu {

/// Throws Error for a matrix, or options, that no factors are made of; `what` says which.
template <class Matrix>
void check_input(const Matrix& A, const IluOptions& options, const char* what) {
  const auto want = [](bool holds, const std::string& is, const char* remedy) {
    if (!holds) throw Error(is, remedy);
  };
  want(A.rows() == A.columns(),
       std::string(what) + " of a matrix of " + std::to_string(A.rows()) + " x " +
           std::to_string(A.columns()),
       "give a square matrix");
  want(options.fill_level >= 0, "options.fill_level is " + std::to_string(options.fill_level),
       "give 0 or more");
  want(options.pivot_floor >= 0 && options.pivot_floor <= std::numeric_limits<double>::max(),
       "options.pivot_floor is " + std::to_string(options.pivot_floor),
       "give a magnitude below which pivots are lifted, or 0");
  want(options.retries >= 0 && options.retries <= 64,
       "options.retries is " + std::to_string(options.retries),
       "give how often the diagonal may grow, 0 to 64");
  want(options.block_size >= 1, "options.block_size is " + std::to_string(options.block_size),
       "give the rows of a block, or 1");
  want(options.subdomains >= 1, "options.subdomains is " + std::to_string(options.subdomains),
       "give 1 or more");
  const auto& parts = options.partition;
  want(parts.empty() || std::cmp_equal(parts.size(), A.rows()),
       "options.partition has " + std::to_string(parts.size()) + " entries for " +
           std::to_string(A.rows()) + " rows",
       "give each row the number of its subdomain");
  want(parts.empty() || options.subdomains == 1,
       "options.partition and options.subdomains are both given", "give one of them");
  ordered::check_threads(options.threads);
}

}  // namespace heddle::detail::ilu
