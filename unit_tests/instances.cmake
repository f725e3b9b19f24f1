# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Formats of SpMV are compiled once for all test programs, a source a format and type. What every format
# promises is one program a type, which takes the format by --format=WORD.
set(HEDDLE_TEST_INSTANCE_OPTIONS "" CACHE STRING
    "How formats for double, which most tests run, are compiled: as users compile them")
option(HEDDLE_TEST_CSR_ALONE "Of the formats test CSR alone" OFF)

# By class, the library's and a user's two, and by the words of support/format_under_test.hpp.
if(HEDDLE_TEST_CSR_ALONE)
  set(HEDDLE_SHARED_FORMATS CsrFormat)
  set(HEDDLE_TESTED_FORMATS csr)
else()
  set(HEDDLE_SHARED_FORMATS CsrFormat EllFormat BlockedEllFormat CooFormat GcsrFormat HybFormat DiaFormat
                            BcsrFormat TiledFormat CsbFormat user::DenseFormat user::BlockDiagonalFormat)
  set(HEDDLE_TESTED_FORMATS csr ell blocked_ell coo gcsr hyb dia bcsr tiled csb user_format user_recipe)
endif()
heddle_take_a_sixth(HEDDLE_TESTED_FORMATS)

# Of types that are tested in turn: of the four of testing/plan_types.hpp one, of two (InTurn in testing/backends.hpp) the
# first where it is even.
set(HEDDLE_TESTED_IN_TURN 0 CACHE STRING "Which of the types that take turns are tested: 0 to 3")

# The names of TestedTypes (testing/plan_types.hpp), in their order.
if(HEDDLE_FULL_TESTS)
  set(HEDDLE_TESTED_TYPES "")
  list(LENGTH Kokkos_DEVICES backends)
  math(EXPR last "16 * ${backends} - 1")
  foreach(k RANGE ${last})
    list(APPEND HEDDLE_TESTED_TYPES type${k})
  endforeach()
elseif(HEDDLE_SANITIZED_TESTS)
  set(HEDDLE_TESTED_TYPES double)
else()
  set(in_turn cfloat portable cdouble float)
  list(GET in_turn ${HEDDLE_TESTED_IN_TURN} in_turn)
  set(HEDDLE_TESTED_TYPES double ${in_turn})
endif()

set(HEDDLE_SUITE_QUARTER "" CACHE STRING
    "What every format promises is tested of every fourth type from this one, 0 to 3; none: of no type; empty: of all")

# heddle_test_instances(PREFIX SUPPORT TYPE...): a library PREFIX_TYPE of every format for each type, compiled
# with what the library SUPPORT asks of those that link it, and PREFIX, which links all of them.
function(heddle_test_instances prefix support)
  add_library(${prefix} INTERFACE)
  if(HEDDLE_TEST_INSTANCE_OPTIONS AND plain_host_compiler)  # other types than the first, with asserts
    add_library(${prefix}_headers OBJECT "${PROJECT_SOURCE_DIR}/testing/generate.cpp")
    target_link_libraries(${prefix}_headers PRIVATE ${support})
    target_compile_options(${prefix}_headers PRIVATE -O1)
    target_precompile_headers(${prefix}_headers PRIVATE
                              "${PROJECT_SOURCE_DIR}/testing/plan_types.hpp")
  endif()
  set(k 0)
  foreach(type IN LISTS ARGN)
    set(name ${prefix}_${type})
    add_library(${name} STATIC EXCLUDE_FROM_ALL "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/support/shared_plans.cpp")
    if(prefix MATCHES "emulated")  # elsewhere Heddle's compiled part has them
      foreach(solvers IN ITEMS shared_solvers shared_multigrid)
        target_sources(${name} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/support/${solvers}.cpp")
      endforeach()
    endif()
    target_link_libraries(${name} PUBLIC ${support})
    target_link_libraries(${prefix} INTERFACE ${name})
    target_compile_definitions(${name} PRIVATE HEDDLE_TESTED_TYPE=${k})
    foreach(format IN LISTS HEDDLE_SHARED_FORMATS)
      string(REPLACE "::" "_" file "${format}")
      set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}/${file}.cpp")
      if(format MATCHES "^user::")
        set(header "<heddle/testing/user_block_diagonals.hpp>")
      else()
        heddle_folder_of_format(${format} folder)
        set(header "<heddle/formats/${folder}/inspect.hpp>")
      endif()
      file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include @header@

#include "support/shared_instance.hpp"

namespace heddle::test {
template struct SharedInstances<@format@, HEDDLE_TESTED_TYPE>;
}
]])
      target_sources(${name} PRIVATE "${source}")
    endforeach()
    if(HEDDLE_TEST_INSTANCE_OPTIONS AND k EQUAL 0)
      separate_arguments(options UNIX_COMMAND "${HEDDLE_TEST_INSTANCE_OPTIONS}")
      target_compile_options(${name} PRIVATE ${options})
      if(plain_host_compiler)
        target_precompile_headers(
          ${name} PRIVATE "${PROJECT_SOURCE_DIR}/testing/plan_types.hpp")
      endif()
    elseif(HEDDLE_TEST_INSTANCE_OPTIONS)
      target_compile_options(${name} PRIVATE -O1)
      if(plain_host_compiler)
        heddle_reuse_headers(${name} ${prefix}_headers)
      endif()
    elseif(plain_host_compiler)
      heddle_reuse_headers(${name} ${support})
    endif()
    math(EXPR k "${k} + 1")
  endforeach()
endfunction()

# heddle_spmv_suite(PREFIX SUPPORT INSTANCES TYPE...): programs PREFIX_spmv_TYPE, and of each a test
# PREFIX_formats_WORD_TYPE for every format.
function(heddle_spmv_suite prefix support instances)
  foreach(type IN LISTS ARGN)
    list(FIND ARGN ${type} k)
    math(EXPR quarter "${k} % 4")
    if(NOT HEDDLE_SUITE_QUARTER STREQUAL "" AND NOT HEDDLE_SUITE_QUARTER STREQUAL quarter)
      continue()
    endif()
    set(program ${prefix}_spmv_${type})
    add_executable(${program} "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/spmv_suite/main.cpp"
                              "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/spmv_suite/suite.cpp")
    target_link_libraries(${program} PRIVATE ${instances}_${type})
    target_compile_definitions(${program} PRIVATE HEDDLE_TESTED_TYPE=${k})
    if(plain_host_compiler)
      heddle_reuse_headers(${program} ${support})
    endif()
    foreach(format IN LISTS HEDDLE_TESTED_FORMATS)
      if(format STREQUAL user_recipe AND k GREATER 0)  # recipes are tested in all types by themselves
        continue()
      endif()
      set(name ${prefix}_formats_${format}_${type})
      add_test(NAME ${name} COMMAND ${program} --format=${format})
      set_tests_properties(${name} PROPERTIES TIMEOUT ${HEDDLE_TEST_TIMEOUT}
                                              ENVIRONMENT "${HEDDLE_TEST_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()
