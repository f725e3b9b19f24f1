// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/format.hpp>

#include "bind.hpp"

namespace heddle::python {

namespace {

/// What there is for one scalar and one type of offsets is a module inside: _core.float64_int32.
template <class S, class O>
void bind_all(nb::module_& m, const char* name) {
  nb::module_ types = m.def_submodule(name);
  bind_matrix<S, O>(types);
  bind_spmv<S, O>(types);
  bind_preconditioners<S, O>(types);
  bind_multigrid<S, O>(types);
  bind_cg<S, O>(types);
  bind_gmres<S, O>(types);
  bind_bicgstab<S, O>(types);
  bind_lobpcg<S, O>(types);
}

/// What the package works on, as heddle/_arrays.py asks.
const char* device_name() {
  constexpr int device = backends::dlpack_device<Exec>;
  return device == 1 ? "cpu" : device == 2 ? "cuda" : "hip";
}

}  // namespace

}  // namespace heddle::python

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
#define HEDDLE_PYTHON_BIND(UNUSED, NAME, S, O) bind_all<S, O>(m, NAME);
  HEDDLE_PYTHON_TYPES(HEDDLE_PYTHON_BIND, )
#undef HEDDLE_PYTHON_BIND
  m.def("set_threads", &set_threads);
  m.def("threads", &threads);
  m.attr("device") = device_name();
  m.attr("__version__") = HEDDLE_PYTHON_VERSION;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
}
