// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays.hpp"
#include "python_types.hpp"

namespace heddle::python {

/// Binds the options of plans and solvers, which no scalar changes.
void bind_options(nb::module_& m);

template <class S, class O>
void bind_matrix(nb::module_& m);
template <class S, class O>
void bind_spmv(nb::module_& m);
template <class S, class O>
void bind_preconditioners(nb::module_& m);
template <class S, class O>
void bind_multigrid(nb::module_& m);
template <class S, class O>
void bind_cg(nb::module_& m);
template <class S, class O>
void bind_gmres(nb::module_& m);
template <class S, class O>
void bind_bicgstab(nb::module_& m);
template <class S, class O>
void bind_minres(nb::module_& m);
template <class S, class O>
void bind_lobpcg(nb::module_& m);
template <class S, class O>
void bind_solve(nb::module_& m);

}  // namespace heddle::python

/// Instantiates one of these functions for all types of the module.
#define HEDDLE_PYTHON_INSTANCES(BIND) HEDDLE_PYTHON_TYPES(HEDDLE_PYTHON_INSTANCE, BIND)
#define HEDDLE_PYTHON_INSTANCE(BIND, NAME, S, O) template void BIND<S, O>(nb::module_&);
