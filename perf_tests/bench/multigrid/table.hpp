// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/machine.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// One matrix: a row a contestant, and one a level.
void print_hierarchies(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                       const MultigridRequest& request);
/// What the columns of those rows mean.
std::string hierarchies_help();

}  // namespace heddle::bench
