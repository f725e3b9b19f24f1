// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/device_figures.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// The matrix, and one row a contestant, schemes first.
void print_sweeps(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                  const GsRequest& request);
/// What the columns of those rows mean.
std::string sweeps_help();

}  // namespace heddle::bench
