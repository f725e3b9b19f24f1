// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>

#include "krylov.hpp"

namespace heddle::python {

void bind_cg(nb::module_& m) { bind_solver<CgSolver<Exec, double>>(m, "cg"); }

}  // namespace heddle::python
