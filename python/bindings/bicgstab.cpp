// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/bicgstab.hpp>

#include "krylov.hpp"

namespace heddle::python {

void bind_bicgstab(nb::module_& m) { bind_solver<BicgstabSolver<Exec, double>>(m, "bicgstab"); }

}  // namespace heddle::python
