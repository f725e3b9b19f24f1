# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_readme_blocks(FILE [LIBRARIES...]): every block ```cpp of FILE is a program; each is compiled,
# and runs as a test from the root of the source tree, as a reader would do it.
function(heddle_readme_blocks file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
  file(READ "${PROJECT_SOURCE_DIR}/${file}" rest)
  cmake_path(GET file STEM stem)
  string(TOLOWER "${stem}" stem)
  set(fence "```")
  set(number 0)
  while(TRUE)
    string(FIND "${rest}" "${fence}cpp\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR begin "${begin} + 7")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "${fence}" end)
    string(SUBSTRING "${rest}" 0 ${end} program)
    math(EXPR end "${end} + 3")
    string(SUBSTRING "${rest}" ${end} -1 rest)

    math(EXPR number "${number} + 1")
    set(name "heddle_${stem}_block_${number}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    file(GENERATE OUTPUT "${source}" CONTENT "${program}")
    add_executable(${name} "${source}")
    target_link_libraries(${name} PRIVATE Heddle::heddle heddle_warnings ${ARGN})
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(
      ${name} PROPERTIES TIMEOUT 1500
      ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
  endwhile()
endfunction()
