# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every unit_tests/fuzz/fuzz_NAME.cpp becomes heddle_fuzz_NAME, with libFuzzer and the sanitizers.
# Its corpus is unit_tests/fuzz/corpus/NAME; dev/fuzz runs them all.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "libFuzzer comes with clang: configure with -DCMAKE_CXX_COMPILER=clang++")
endif()

set(fuzzed "-fsanitize=fuzzer,address,undefined" -fno-sanitize-recover=undefined)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/unit_tests/fuzz/fuzz_*.cpp")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_executable(heddle_${name} "${source}")
  set_target_properties(heddle_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_include_directories(heddle_${name} PRIVATE "${PROJECT_SOURCE_DIR}/unit_tests")
  target_link_libraries(heddle_${name} PRIVATE Heddle::heddle)
  target_compile_options(heddle_${name} PRIVATE -O1 -g1 ${fuzzed})
  target_link_options(heddle_${name} PRIVATE ${fuzzed})
endforeach()
