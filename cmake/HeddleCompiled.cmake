# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::compiled: the plans of formats/instantiate.hpp for the scalars that HEDDLE_INSTANTIATE names,
# compiled once. Who links it compiles no kernel of theirs. A component of the package: compiled.
set(HEDDLE_INSTANTIATE "" CACHE STRING
    "Scalars whose plans Heddle::compiled holds: a list of float, double, cfloat, cdouble")
if(NOT HEDDLE_INSTANTIATE)
  return()
endif()

set(type_of_float float)
set(type_of_double double)
set(type_of_cfloat "Kokkos::complex<float>")
set(type_of_cdouble "Kokkos::complex<double>")
string(REPLACE "," ";" scalars "${HEDDLE_INSTANTIATE}")
list(REMOVE_DUPLICATES scalars)

add_library(heddle_compiled)  # static, unless BUILD_SHARED_LIBS says otherwise
add_library(Heddle::compiled ALIAS heddle_compiled)
foreach(scalar IN LISTS scalars)
  if(NOT DEFINED type_of_${scalar})
    message(FATAL_ERROR "HEDDLE_INSTANTIATE names '${scalar}', and knows float, double, cfloat and cdouble")
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/compiled/${scalar}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY
       CONTENT "#include <heddle/spmv.hpp>\n\nnamespace heddle {\n\
HEDDLE_INSTANCES(, ${type_of_${scalar}})\n}  // namespace heddle\n")
  target_sources(heddle_compiled PRIVATE "${source}")
  string(TOUPPER "HEDDLE_COMPILED_${scalar}" definition)
  target_compile_definitions(heddle_compiled INTERFACE ${definition})
endforeach()
# Before 1.0 a minor version may break, hence the SOVERSION: docs/versions.md. Static and shared are made
# of the same objects, so neither has a definition of its own.
set_target_properties(
  heddle_compiled
  PROPERTIES EXPORT_NAME compiled
             POSITION_INDEPENDENT_CODE ON
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             DEFINE_SYMBOL "")
target_link_libraries(heddle_compiled PUBLIC heddle)
target_compile_options(heddle_compiled
                       PRIVATE $<TARGET_PROPERTY:heddle_warnings,INTERFACE_COMPILE_OPTIONS>)
