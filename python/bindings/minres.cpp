// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/minres.hpp>

#include "krylov.hpp"

namespace heddle::python {

template <class S, class O>
void bind_minres(nb::module_& m) {
  bind_solver<MinresSolver<Exec, S>, S, O>(m, "MinresSolver");
}

HEDDLE_PYTHON_INSTANCES(bind_minres)

}  // namespace heddle::python
