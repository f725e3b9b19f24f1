// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/gmres.hpp>

#include "krylov.hpp"

namespace heddle::python {

void bind_gmres(nb::module_& m) { bind_solver<GmresSolver<Exec, double>>(m, "gmres"); }

}  // namespace heddle::python
