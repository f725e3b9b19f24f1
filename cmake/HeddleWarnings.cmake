# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_warnings: linked by our own tests, benchmarks and examples, never by users.
add_library(heddle_warnings INTERFACE)
target_compile_options(
  heddle_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang,NVIDIA>:-Wall -Wextra>
                            $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wpedantic>)
if(HEDDLE_WARNINGS_AS_ERRORS)
  target_compile_options(heddle_warnings INTERFACE -Werror)
endif()
