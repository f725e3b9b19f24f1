// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>

#include "krylov.hpp"

namespace heddle::python {

template <class S, class O>
void bind_cg(nb::module_& m) {
  bind_solver<CgSolver<Exec, S>, S, O>(m, "CgSolver");
}

HEDDLE_PYTHON_INSTANCES(bind_cg)

}  // namespace heddle::python
