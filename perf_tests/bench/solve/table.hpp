// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <string>

#include "../common/device_figures.hpp"
#include "../common/results.hpp"
#include "request.hpp"

namespace heddle::bench {

/// The system, one row a contestant, Heddle's first, and who was the fastest.
void print_whole_solves(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                        const SolveRequest& request);
/// What the columns of those rows mean.
std::string whole_solves_help();

}  // namespace heddle::bench
