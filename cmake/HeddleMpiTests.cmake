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
