# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_folder_of_format(FORMAT VARIABLE): of BlockedEllFormat blocked_ell, whose headers define it.
function(heddle_folder_of_format format variable)
  string(REGEX REPLACE "Format$" "" folder "${format}")
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" folder "${folder}")
  string(TOLOWER "${folder}" folder)
  set(${variable} "${folder}" PARENT_SCOPE)
endfunction()

# heddle_plans(TARGET SCALARS SCALAR...): Heddle's compiled part for these scalars (float, double, cfloat,
# cdouble), as sources of TARGET: one for each format and scalar, so that they build side by side. TARGET
# and who links it then compile no format of Heddle for them. A TARGET that there is not becomes a static
# library. The global property HEDDLE_FORMATS holds the formats of formats/all_formats.hpp.
function(heddle_plans target)
  set(HEDDLE_TYPE_OF_float float)
  set(HEDDLE_TYPE_OF_double double)
  set(HEDDLE_TYPE_OF_cfloat "Kokkos::complex<float>")
  set(HEDDLE_TYPE_OF_cdouble "Kokkos::complex<double>")
  cmake_parse_arguments(PARSE_ARGV 1 plans "" "" "SCALARS")
  if(plans_UNPARSED_ARGUMENTS OR NOT plans_SCALARS)
    message(FATAL_ERROR "heddle_plans(${target} ...): write heddle_plans(TARGET SCALARS double)")
  endif()
  list(REMOVE_DUPLICATES plans_SCALARS)
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
  endif()
  get_property(HEDDLE_FORMATS GLOBAL PROPERTY HEDDLE_FORMATS)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_plans")
  set(sources "")
  macro(add_source name header)
    string(CONCAT text "#include <heddle/${header}>\n" ${ARGN})
    file(CONFIGURE OUTPUT "${folder}/${name}.cpp" CONTENT "${text}" @ONLY)
    list(APPEND sources "${folder}/${name}.cpp")
  endmacro()
  add_source(pattern formats/inspect/definitions.hpp
             "#include <heddle/formats/instantiate.hpp>\nHEDDLE_PATTERN_INSTANCES()\n")
  set(rules "#include <heddle/formats/instantiate.hpp>\n#include <heddle/formats/all_formats.hpp>\n")
  string(APPEND rules "HEDDLE_CHOICE_INSTANCES()\n")
  foreach(format IN LISTS HEDDLE_FORMATS)
    string(APPEND rules "HEDDLE_RULES_INSTANCE(, heddle::${format})\n")
  endforeach()
  add_source(choice formats/plan/rank.hpp "${rules}")
  foreach(scalar IN LISTS plans_SCALARS)
    if(NOT DEFINED HEDDLE_TYPE_OF_${scalar})
      message(FATAL_ERROR "HEDDLE_INSTANTIATE or heddle_plans names '${scalar}', and knows float, double, "
                          "cfloat and cdouble")
    endif()
    set(type "${HEDDLE_TYPE_OF_${scalar}}")
    add_source(plan_${scalar} formats/definitions.hpp "HEDDLE_PLAN_INSTANCES(, ${type})\n")
    add_source(without_plan_${scalar} formats/csr/apply_without_plan.hpp
               "#include <heddle/formats/instantiate.hpp>\nHEDDLE_WITHOUT_PLAN_INSTANCES(, ${type})\n")
    add_source(sptrsv_${scalar} solvers/sptrsv/definitions.hpp "HEDDLE_SPTRSV_INSTANCES(, ${type})\n")
    add_source(gauss_seidel_${scalar} solvers/gauss_seidel/definitions.hpp
               "HEDDLE_GAUSS_SEIDEL_INSTANCES(, ${type})\n")
    add_source(vectors_${scalar} solvers/vectors/definitions.hpp "HEDDLE_VECTORS_INSTANCES(, ${type})\n")
    add_source(cg_${scalar} solvers/krylov/cg_definitions.hpp "HEDDLE_CG_INSTANCES(, ${type})\n")
    add_source(jacobi_${scalar} solvers/krylov/jacobi_definitions.hpp
               "HEDDLE_JACOBI_INSTANCES(, ${type})\n")
    add_source(direct_${scalar} solvers/direct/definitions.hpp "HEDDLE_DIRECT_INSTANCES(, ${type})\n")
    add_source(gmres_${scalar} solvers/krylov/gmres_definitions.hpp
               "HEDDLE_PROGRESS_INSTANCES(, ${type})\nHEDDLE_GMRES_INSTANCES(, ${type})\n")
    add_source(bicgstab_${scalar} solvers/krylov/bicgstab_definitions.hpp
               "HEDDLE_BICGSTAB_INSTANCES(, ${type})\n")
    add_source(minres_${scalar} solvers/krylov/minres_definitions.hpp
               "HEDDLE_MINRES_INSTANCES(, ${type})\n")
    add_source(chebyshev_${scalar} solvers/krylov/chebyshev_definitions.hpp
               "HEDDLE_CHEBYSHEV_INSTANCES(, ${type})\n")
    add_source(lobpcg_${scalar} solvers/lobpcg/definitions.hpp "HEDDLE_LOBPCG_INSTANCES(, ${type})\n")
    add_source(multigrid_${scalar} solvers/multigrid/definitions.hpp
               "HEDDLE_MULTIGRID_INSTANCES(, ${type})\nHEDDLE_SPECTRUM_INSTANCES(, ${type})\n")
    add_source(ilu_${scalar} solvers/ilu/definitions.hpp "HEDDLE_ILU_INSTANCES(, ${type})\n")
    add_source(ic_${scalar} solvers/ilu/definitions.hpp "HEDDLE_IC_INSTANCES(, ${type})\n")
    add_source(solve_${scalar} solvers/solve/definitions.hpp "HEDDLE_SOLVE_INSTANCES(, ${type})\n")
    if(scalar MATCHES "double")
      add_source(multigrid_in_float_${scalar} solvers/multigrid/definitions.hpp
                 "HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(, ${type})\n"
                 "HEDDLE_SINGLE_PRECISION_INSTANCES(, ${type})\n")
      add_source(factors_in_float_${scalar} solvers/ilu/definitions.hpp
                 "HEDDLE_FACTORS_IN_FLOAT_INSTANCES(, ${type})\n")
    endif()
    foreach(format IN LISTS HEDDLE_FORMATS)
      heddle_folder_of_format(${format} inner)
      add_source(${format}_${scalar} formats/${inner}/inspect.hpp
                 "HEDDLE_FORMAT_INSTANCES(, heddle::${format}, ${type})\n")
    endforeach()
    string(TOUPPER "HEDDLE_COMPILED_${scalar}" definition)
    target_compile_definitions(${target} PUBLIC ${definition})
  endforeach()
  target_sources(${target} PRIVATE ${sources})
  target_link_libraries(${target} PUBLIC Heddle::headers)
endfunction()
