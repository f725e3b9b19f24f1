# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests and examples of this tree that run under mpiexec.
include_guard()
find_program(HEDDLE_MPIEXEC mpiexec REQUIRED)
set(HEDDLE_MPIEXEC_FLAGS "" CACHE STRING "What mpiexec needs here, a list: --oversubscribe")

# heddle_mpi_tests(LABEL TARGET NAME ARGUMENTS...): TARGET under mpiexec, on 1, 2 and 4 processes.
# heddle_LABEL_programs builds all of a label.
function(heddle_mpi_tests label target name)
  if(NOT TARGET heddle_${label}_programs)
    add_custom_target(heddle_${label}_programs)
  endif()
  add_dependencies(heddle_${label}_programs ${target})
  foreach(processes IN ITEMS 1 2 4)
    add_test(NAME ${name}_on_${processes}
             COMMAND "${HEDDLE_MPIEXEC}" ${HEDDLE_MPIEXEC_FLAGS} -n ${processes}
                     "$<TARGET_FILE:${target}>" ${ARGN})
    set_tests_properties(
      ${name}_on_${processes}
      PROPERTIES TIMEOUT 1500 PROCESSORS ${processes} LABELS ${label}
                 ENVIRONMENT "OMP_NUM_THREADS=1;OMP_PROC_BIND=false")
  endforeach()
endfunction()

# heddle_mpi_unit_tests(LABEL LIBRARIES...): main.cpp and each file test_NAME.cpp of this folder as heddle_tests_LABEL_NAME.
function(heddle_mpi_unit_tests label)
  set(main heddle_tests_${label}_main)
  add_library(${main} OBJECT main.cpp)
  target_include_directories(${main} SYSTEM PUBLIC "${HEDDLE_DOCTEST_INCLUDE_DIR}")
  target_link_libraries(${main} PUBLIC ${ARGN} heddle_warnings)
  file(GLOB test_files CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
       "${CMAKE_CURRENT_SOURCE_DIR}/test_*.cpp")
  foreach(file IN LISTS test_files)
    string(REGEX REPLACE "^test_(.*)\\.cpp$" "heddle_tests_${label}_\\1" name "${file}")
    add_executable(${name} EXCLUDE_FROM_ALL "${file}")
    target_link_libraries(${name} PRIVATE ${main})
    heddle_mpi_tests(${label} ${name} ${name})
  endforeach()
endfunction()

# heddle_mpi_consumer(LABEL OPTIONS...): consumer/ of this folder, a program of a user, against an installed Heddle.
function(heddle_mpi_consumer label)
  set(prefix "${CMAKE_CURRENT_BINARY_DIR}/prefix")
  set(install heddle_${label}_install)
  set(consumer heddle_${label}_consumer)
  add_test(NAME ${install} COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --prefix "${prefix}")
  add_test(
    NAME ${consumer}
    COMMAND
      "${CMAKE_CTEST_COMMAND}" --build-and-test "${CMAKE_CURRENT_SOURCE_DIR}/consumer"
      "${CMAKE_CURRENT_BINARY_DIR}/consumer" --build-generator "${CMAKE_GENERATOR}" --build-options
      "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -O1"
      "-DHeddle_ROOT=${prefix}" ${ARGN}
      --test-command "${HEDDLE_MPIEXEC}" ${HEDDLE_MPIEXEC_FLAGS} -n 2 consumer)
  set_tests_properties(${install} PROPERTIES FIXTURES_SETUP heddle_${label}_installed)
  set_tests_properties(${consumer} PROPERTIES FIXTURES_REQUIRED heddle_${label}_installed)
  set_tests_properties(${install} ${consumer} PROPERTIES TIMEOUT ${HEDDLE_TEST_TIMEOUT} LABELS ${label})
endfunction()
