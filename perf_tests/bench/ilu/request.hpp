// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/ilu/options.hpp"
#include "../common/contest_options.hpp"

namespace heddle::bench {

/// Options of `heddle-bench ilu`.
struct IluRequest : ContestOptions {
  std::string factors = "lu";
  std::string keep = "same";
  int fill_level = 0;
  int block_size = 1;
  int subdomains = 1;
  double pivot_floor = 0;
  bool solve = false;

  bool cholesky() const { return factors == "cholesky"; }
  bool in_float() const { return keep == "float"; }
  IluOptions options() const {
    IluOptions options;
    options.fill_level = fill_level;
    options.block_size = block_size;
    options.subdomains = subdomains;
    options.pivot_floor = pivot_floor;
    options.vectors = {columns, !row_major()};
    return options;
  }
};

}  // namespace heddle::bench
