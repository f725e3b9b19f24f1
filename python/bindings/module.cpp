// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/format.hpp>

#include "bind.hpp"

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  using namespace heddle::python;

  nb::set_leak_warnings(false);  // of objects that modules still hold when the interpreter ends
  nb::exception<heddle::Error> error(m, "Error", PyExc_ValueError);
  nb::exception<heddle::Refusal> refusal(m, "Refusal", error);
  nb::exception<heddle::OutOfMemory> out_of_memory(m, "OutOfMemory", error);
  for (nb::handle type : {nb::handle(error), nb::handle(refusal), nb::handle(out_of_memory)}) {
    nb::setattr(type, "__module__", nb::str("heddle"));
  }
  bind_matrix(m);
  bind_spmv(m);
  bind_preconditioners(m);
  bind_cg(m);
  bind_gmres(m);
  bind_bicgstab(m);
  m.def("set_threads", &set_threads);
  m.def("threads", [] {
    begin();
    return Exec().concurrency();
  });
  m.attr("__version__") = HEDDLE_PYTHON_VERSION;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
}
