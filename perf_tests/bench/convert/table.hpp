// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/machine.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// One matrix: what was converted, and a row a contestant.
void print_conversions(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                       const ConvertRequest& request);
/// What the columns of those rows mean.
std::string conversions_help();

}  // namespace heddle::bench
