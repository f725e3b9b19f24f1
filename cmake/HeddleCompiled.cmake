# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::compiled: the formats and plans for the scalars that HEDDLE_INSTANTIATE names, compiled once
# (cmake/HeddlePlans.cmake). Heddle::heddle links it where it is there. A component of the package: compiled.
set(instantiate "")
if(PROJECT_IS_TOP_LEVEL AND HEDDLE_INSTALL)
  set(instantiate double)
endif()
set(HEDDLE_INSTANTIATE "${instantiate}" CACHE STRING
    "Scalars whose plans Heddle::compiled holds: a list of float, double, cfloat, cdouble, or none")
string(REPLACE "," ";" HEDDLE_COMPILED_SCALARS "${HEDDLE_INSTANTIATE}")
list(REMOVE_ITEM HEDDLE_COMPILED_SCALARS none)

file(STRINGS formats/all_formats.hpp HEDDLE_FORMATS REGEX "^ +[A-Za-z]+Format[,>]")
list(TRANSFORM HEDDLE_FORMATS REPLACE "^ +([A-Za-z]+Format).*" "\\1")
set_property(GLOBAL PROPERTY HEDDLE_FORMATS ${HEDDLE_FORMATS})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS formats/all_formats.hpp)
include(HeddlePlans)
if(NOT HEDDLE_COMPILED_SCALARS)
  return()
endif()

add_library(heddle_compiled)  # static, unless BUILD_SHARED_LIBS says otherwise
add_library(Heddle::compiled ALIAS heddle_compiled)
heddle_plans(heddle_compiled SCALARS ${HEDDLE_COMPILED_SCALARS})
target_link_libraries(heddle INTERFACE "$<BUILD_INTERFACE:heddle_compiled>")
# Before 1.0 a minor version may break, hence the SOVERSION: docs/versions.md. Static and shared are made
# of the same objects, so neither has a definition of its own.
set_target_properties(
  heddle_compiled
  PROPERTIES EXPORT_NAME compiled
             POSITION_INDEPENDENT_CODE ON
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
             DEFINE_SYMBOL "")
target_compile_options(heddle_compiled
                       PRIVATE $<TARGET_PROPERTY:heddle_warnings,INTERFACE_COMPILE_OPTIONS>)
if(HEDDLE_TEST_INSTANCE_OPTIONS)  # of a build for tests: this part is compiled as users compile it
  separate_arguments(as_users UNIX_COMMAND "${HEDDLE_TEST_INSTANCE_OPTIONS}")
  target_compile_options(heddle_compiled PRIVATE ${as_users})
endif()
