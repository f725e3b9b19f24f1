# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::tpetra for <heddle/tpetra.hpp> and Heddle::ifpack2 for <heddle/ifpack2.hpp>, for tests and
# examples of this tree. Of an installed Heddle, however it was configured,
# find_package(Heddle COMPONENTS tpetra ifpack2) makes them.
# Tpetra brings the Kokkos that it was built with, and Heddle must have found the same one.
find_package(Tpetra CONFIG REQUIRED)
find_package(Belos CONFIG REQUIRED)
find_package(Ifpack2 CONFIG REQUIRED)
find_program(HEDDLE_MPIEXEC mpiexec REQUIRED)
set(HEDDLE_MPIEXEC_FLAGS "" CACHE STRING "What mpiexec needs here, a list: --oversubscribe")

add_library(heddle_tpetra INTERFACE)
add_library(Heddle::tpetra ALIAS heddle_tpetra)
target_link_libraries(heddle_tpetra INTERFACE heddle Tpetra::all_libs)
add_library(heddle_ifpack2 INTERFACE)
add_library(Heddle::ifpack2 ALIAS heddle_ifpack2)
target_link_libraries(heddle_ifpack2 INTERFACE heddle Ifpack2::all_libs)

add_custom_target(heddle_tpetra_programs)

# heddle_mpi_tests(TARGET NAME ARGUMENTS...): TARGET under mpiexec, on 1, 2 and 4 processes.
function(heddle_mpi_tests target name)
  add_dependencies(heddle_tpetra_programs ${target})
  foreach(processes IN ITEMS 1 2 4)
    add_test(NAME ${name}_on_${processes}
             COMMAND "${HEDDLE_MPIEXEC}" ${HEDDLE_MPIEXEC_FLAGS} -n ${processes}
                     "$<TARGET_FILE:${target}>" ${ARGN})
    set_tests_properties(
      ${name}_on_${processes}
      PROPERTIES TIMEOUT 1500 PROCESSORS ${processes} LABELS tpetra
                 ENVIRONMENT "OMP_NUM_THREADS=1;OMP_PROC_BIND=false")
  endforeach()
endfunction()
