// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>

#include "machine.hpp"
#include "request.hpp"
#include "results.hpp"

namespace heddle::bench {

/// What a person reads: the machine, then one table a matrix.
void print_machine(std::ostream& out, const Machine& machine, const DeviceFigures& figures);
void print_table(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                 const SpmvRequest& request);

}  // namespace heddle::bench
