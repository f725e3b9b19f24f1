# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_warnings: linked by our own tests, benchmarks and examples, never by users.
add_library(heddle_warnings INTERFACE)
target_compile_options(
  heddle_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang,NVIDIA>:-Wall -Wextra>
                            $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wpedantic>)
# gcc 12 sees overlapping copies in "text" + std::string where there are none (gcc bug 105651).
target_compile_options(
  heddle_warnings
  INTERFACE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(HEDDLE_WARNINGS_AS_ERRORS)
  target_compile_options(heddle_warnings INTERFACE -Werror)
endif()
