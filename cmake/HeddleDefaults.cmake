# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a bare `cmake -B build` should mean. Projects that hold Heddle decide for themselves.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

get_property(several_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT several_configurations AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
