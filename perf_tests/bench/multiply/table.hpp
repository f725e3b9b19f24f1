// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/machine.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// One matrix: what was multiplied, and a row a contestant.
void print_products(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                    const MultiplyRequest& request);
/// What the columns of those rows mean.
std::string products_help();

}  // namespace heddle::bench
