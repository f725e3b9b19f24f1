// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays.hpp"

namespace heddle::python {

void bind_matrix(nb::module_& m);
void bind_spmv(nb::module_& m);
void bind_preconditioners(nb::module_& m);
void bind_cg(nb::module_& m);
void bind_gmres(nb::module_& m);
void bind_bicgstab(nb::module_& m);

}  // namespace heddle::python
