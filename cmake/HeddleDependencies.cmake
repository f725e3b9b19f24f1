# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kokkos is required. zlib and liblzma let the readers open .gz and .xz files; either is left out
# with -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON or -DCMAKE_DISABLE_FIND_PACKAGE_LibLZMA=ON.
set(HEDDLE_KOKKOS_MINIMUM 4.6 CACHE STRING "Oldest Kokkos accepted; older ones than 4.6 are not tested")

find_package(Kokkos ${HEDDLE_KOKKOS_MINIMUM} CONFIG QUIET)
if(NOT Kokkos_FOUND)
  set(why "")
  if(Kokkos_NOT_FOUND_MESSAGE)
    set(why "\n  CMake says: ${Kokkos_NOT_FOUND_MESSAGE}")
  endif()
  if(Kokkos_CONSIDERED_VERSIONS)
    set(why "${why}\n  Versions that were found: ${Kokkos_CONSIDERED_VERSIONS}")
  endif()
  message(
    FATAL_ERROR
      "Heddle needs Kokkos ${HEDDLE_KOKKOS_MINIMUM} or newer and found none."
      "${why}\n"
      "  If you have one: cmake -DKokkos_ROOT=/path/to/kokkos ...\n"
      "  If you have none: dev/sandbox dev/test does everything in a root of its own.")
endif()
message(STATUS "Kokkos ${Kokkos_VERSION} for ${Kokkos_DEVICES}: ${Kokkos_DIR}")

set(HEDDLE_COMPRESSION_LIBRARIES "")
foreach(pair IN ITEMS ZLIB:ZLIB LibLZMA:LZMA)
  string(REGEX MATCH "([^:]+):(.+)" _ "${pair}")
  set(package ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  find_package(${package} QUIET)
  if(${package}_FOUND)
    set(HEDDLE_HAVE_${name} 1)
    list(APPEND HEDDLE_COMPRESSION_LIBRARIES ${package}::${package})
  else()
    set(HEDDLE_HAVE_${name} 0)
    message(STATUS "${package} not found: Heddle is built without reading its compressed files")
  endif()
endforeach()
