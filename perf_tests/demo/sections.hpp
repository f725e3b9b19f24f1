// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the demo, in the order they are shown. Each prints, and returns whether all that it
// computed was right.
#pragma once

#include "arrays.hpp"

namespace demo {

struct Size {
  double matrix_bytes = 0;  // bytes of a matrix that is multiplied
  double seconds = 0;       // approximate time of a comparison
  double triad_rate = 0;    // measured, in bytes per second
};

bool show_products(const Exec& exec, const Size& size);
bool show_solves(const Exec& exec, const Size& size);

}  // namespace demo
