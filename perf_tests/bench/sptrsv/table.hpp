// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/device_figures.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// Prints the triangle, and one row for each contestant, schemes first.
void print_solves(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                  const SptrsvRequest& request);
/// Help for the columns of those rows.
std::string solves_help();

}  // namespace heddle::bench
