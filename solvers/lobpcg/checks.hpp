// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "blocks.hpp"
#include "options.hpp"

namespace heddle::detail::lobpcg {

inline void check_options(const LobpcgOptions& options, std::int64_t rows) {
  if (rows < 1 || options.count < 1 || options.constraints < 0 ||
      options.count + std::int64_t{options.constraints} > rows) {
    throw Error("options.count is " + std::to_string(options.count) + " and constraints " +
                    std::to_string(options.constraints) + ", of a matrix of " +
                    std::to_string(rows) + " rows",
                "ask for at least one pair, and no more than there are");
  }
  if (options.tolerance && !(*options.tolerance > 0)) {
    throw Error("options.tolerance is " + std::to_string(*options.tolerance),
                "give a positive one");
  }
  if (options.max_iterations < 0) {
    throw Error("options.max_iterations is " + std::to_string(options.max_iterations),
                "give 0 or more");
  }
  if (options.stagnation_window < 1) {
    throw Error("options.stagnation_window is " + std::to_string(options.stagnation_window),
                "give one or more");
  }
  if (!(options.max_seconds >= 0)) {
    throw Error("options.max_seconds is " + std::to_string(options.max_seconds), "give 0 or more");
  }
}

/// B is there exactly if the options say so, and as large as A.
template <class B>
void check_mass(const LobpcgOptions& options, std::int64_t rows, B& mass) {
  if (is_given<B> != options.generalized) {
    throw Error(is_given<B> ? "solve was given B, and options.generalized is false"
                            : "options.generalized is true, and solve was given no B",
                "make a solver for the problem that is solved");
  }
  if constexpr (is_given<B>) {
    if (mass.rows() != rows || mass.columns() != rows) {
      throw Error("the solver is for " + std::to_string(rows) + " rows, and B is " +
                      std::to_string(mass.rows()) + " x " + std::to_string(mass.columns()),
                  "give B of the size of A");
    }
  }
}

}  // namespace heddle::detail::lobpcg
