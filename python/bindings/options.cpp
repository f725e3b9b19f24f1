// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "../../formats/plan/fields.hpp"
#include "../../solvers/gauss_seidel/fields.hpp"
#include "../../solvers/ilu/fields.hpp"
#include "../../solvers/krylov/fields.hpp"
#include "../../solvers/lobpcg/fields.hpp"
#include "../../solvers/multigrid/fields.hpp"
#include "../../solvers/solve/fields.hpp"
#include "../../solvers/sptrsv/fields.hpp"
#include "bind.hpp"

namespace heddle::python {

namespace {

template <class Options>
void bind(nb::module_& m, const char* name) {
  nb::class_<Options>(m, name)
      .def("__init__",
           [](Options* self, const nb::kwargs& given) {
             new (self) Options(options_of<Options>(given));
           })
      .def_prop_ro("changed", &changed<Options>)
      .def_static("fields", &listed<Options>);
}

}  // namespace

void bind_options(nb::module_& m) {
  bind<SpmvOptions>(m, "SpmvOptions");
  bind<SptrsvOptions>(m, "SptrsvOptions");
  bind<GaussSeidelOptions>(m, "GaussSeidelOptions");
  bind<IluOptions>(m, "IluOptions");
  bind<MultigridOptions>(m, "MultigridOptions");
  bind<KrylovOptions>(m, "KrylovOptions");
  bind<LobpcgOptions>(m, "LobpcgOptions");
  bind<SolveOptions>(m, "SolveOptions");
}

}  // namespace heddle::python
