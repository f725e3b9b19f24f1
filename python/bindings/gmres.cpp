// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/gmres.hpp>

#include "krylov.hpp"

namespace heddle::python {

template <class S, class O>
void bind_gmres(nb::module_& m) {
  bind_solver<GmresSolver<Exec, S>, S, O>(m, "GmresSolver");
}

HEDDLE_PYTHON_INSTANCES(bind_gmres)

}  // namespace heddle::python
