// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/gauss_seidel/options.hpp"
#include "../common/contest_options.hpp"

namespace heddle::bench {

/// Name of the contestant whose rate sweeps are compared with.
inline constexpr const char* product_name = "product";

/// Options of `heddle-bench gs`.
struct GsRequest : ContestOptions {
  std::string sweep_name = "symmetric";
  std::string start = "zero";
  double omega = 1;
  int sweeps = 1;
  int block_size = 1;

  bool from_zero() const { return start == "zero"; }
  SweepDirection sweep() const {
    if (sweep_name == "symmetric") return SweepDirection::symmetric;
    return sweep_name == "forward" ? SweepDirection::forward : SweepDirection::backward;
  }
  GaussSeidelOptions options() const {
    GaussSeidelOptions options;
    options.sweep = sweep();
    options.omega = omega;
    options.block_size = block_size;
    options.vectors = {columns, !row_major()};
    return options;
  }
};

}  // namespace heddle::bench
