// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/device_figures.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// The matrix, and one row a contestant, schemes first.
void print_factors(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                   const IluRequest& request);
/// What the columns of those rows mean.
std::string factors_help();

}  // namespace heddle::bench
