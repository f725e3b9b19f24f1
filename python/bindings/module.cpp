// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/format.hpp>
#include <regex>
#include <string>
#include <utility>

#include "bind.hpp"

namespace heddle::python {

namespace {

/// Binds everything for one scalar and one offset type in a submodule, as _core.float64_int32.
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
  bind_minres<S, O>(types);
  bind_lobpcg<S, O>(types);
  bind_solve<S, O>(types);
}

/// Device of the package, for heddle/_arrays.py.
const char* device_name() {
  constexpr int device = backends::dlpack_device<Exec>;
  return device == 1 ? "cpu" : device == 2 ? "cuda" : "hip";
}

/// An Error's message in the terms of the Python interface.
std::string in_python(std::string text) {
  static const std::pair<std::regex, const char*> words[] = {
      {std::regex("options\\.vectors\\.count"), "vectors"},
      {std::regex("use Diagonal::unit"), "give diagonal='unit'"},
      {std::regex("set options\\.(ignore_outside|history|flexible)"), "give $1=True"},
      {std::regex(", or add repeated entries up with Duplicates::add"), ""},
      {std::regex("(name (it|the op) in|give it to) (options\\.|\\w+Options::)ops"),
       "make the plan with transpose=True"},
      {std::regex("; add others to the plan's list.*With<TiledFormat>"), ""},
      {std::regex("max_iterations"), "maxiter"},
      {std::regex("(\\boptions\\.|\\w+Options::)(\\w+) (is|has)\\b"), "$2 $3"},
      {std::regex("(\\boptions\\.|\\w+Options::)(\\w+)"), "$2="},
  };
  for (const auto& [here, there] : words) text = std::regex_replace(text, here, there);
  return text;
}

}  // namespace

}  // namespace heddle::python

/// Compiled in a build for CPUs too, which accepts NumPy's arrays without it.
template struct nanobind::detail::type_caster<heddle::python::Numbers<double>>;

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  using namespace heddle::python;
  using namespace nb::literals;

  nb::set_leak_warnings(false);  // for objects that modules still have when the interpreter ends
  nb::exception<heddle::Error> error(m, "Error", PyExc_ValueError);
  nb::exception<heddle::Refusal> refusal(m, "Refusal", error);
  nb::exception<heddle::OutOfMemory> out_of_memory(m, "OutOfMemory", error);
  const std::pair<nb::handle, const char*> errors[] = {
      {error, "What is wrong, and what to do: a ValueError."},
      {refusal, "A pinned scheme does not take the matrix."},
      {out_of_memory, "There is not enough memory, or less than max_bytes= allows."}};
  for (const auto& [type, says] : errors) {
    nb::setattr(type, "__module__", nb::str("heddle"));
    nb::setattr(type, "__doc__", nb::str(says));
  }
  static PyObject* const types[] = {error.ptr(), refusal.ptr(), out_of_memory.ptr()};
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    const auto raise = [](PyObject* type, const std::exception& e) {
      const std::string text = in_python(e.what());  // names of files may not be UTF-8
      PyErr_SetObject(type, nb::steal(PyUnicode_DecodeFSDefault(text.c_str())).ptr());
    };
    try {
      std::rethrow_exception(thrown);
    } catch (const heddle::OutOfMemory& e) {
      raise(types[2], e);
    } catch (const heddle::Refusal& e) {
      raise(types[1], e);
    } catch (const heddle::Error& e) {
      raise(types[0], e);
    }
  });
  bind_options(m);
#define HEDDLE_PYTHON_BIND(UNUSED, NAME, S, O) bind_all<S, O>(m, NAME);
  HEDDLE_PYTHON_TYPES(HEDDLE_PYTHON_BIND, )
#undef HEDDLE_PYTHON_BIND
  m.def("set_threads", &set_threads, "threads"_a,
        "With how many threads of the processor Kokkos begins: an Error once it has begun.");
  m.def("threads", &threads, "Threads of the processor that Kokkos has; begins it.");
  m.attr("device") = device_name();
  m.attr("__version__") = HEDDLE_PYTHON_VERSION;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end));
}
