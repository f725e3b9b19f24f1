// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/bicgstab.hpp>

#include "krylov.hpp"

namespace heddle::python {

template <class S, class O>
void bind_bicgstab(nb::module_& m) {
  bind_solver<BicgstabSolver<Exec, S>, S, O>(m, "BicgstabSolver");
}

HEDDLE_PYTHON_INSTANCES(bind_bicgstab)

}  // namespace heddle::python
