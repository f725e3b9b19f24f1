# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::kokkos_kernels: Kokkos Kernels where it is found and goes with the Kokkos in use. Only our
# tests and benchmarks look for it. HEDDLE_KOKKOS_KERNELS_VERSION is empty where there is none.
set(HEDDLE_KOKKOS_KERNELS_VERSION "")

# Debian's Trilinos keeps it beside the Kokkos that it was built for.
find_path(
  HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR KokkosKernels_config.h
  HINTS "${KokkosKernels_ROOT}" "$ENV{KokkosKernels_ROOT}" "${Kokkos_DIR}/../../../.."
        "${Kokkos_DIR}/../../.."
  PATH_SUFFIXES include include/trilinos)
find_library(
  HEDDLE_KOKKOS_KERNELS_LIBRARY
  NAMES kokkoskernels trilinos_kokkoskernels
  HINTS "${HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR}/.." "${HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR}/../.."
  PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
if(NOT HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR OR NOT HEDDLE_KOKKOS_KERNELS_LIBRARY)
  return()
endif()

file(STRINGS "${HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR}/KokkosKernels_config.h" lines
     REGEX "define KOKKOSKERNELS_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version "${lines}")
string(REPLACE ";" "." version "${version}")
string(REGEX MATCH "^[0-9]+" major "${version}")
if(NOT Kokkos_VERSION VERSION_GREATER_EQUAL major OR NOT Kokkos_VERSION VERSION_LESS "${major}.99")
  message(STATUS "Kokkos Kernels ${version} is left aside: it does not go with Kokkos "
                 "${Kokkos_VERSION}")
  return()
endif()

set(HEDDLE_KOKKOS_KERNELS_VERSION "${version}")
message(STATUS "Kokkos Kernels ${version}: ${HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR}")
add_library(Heddle::kokkos_kernels UNKNOWN IMPORTED)
set_target_properties(
  Heddle::kokkos_kernels
  PROPERTIES IMPORTED_LOCATION "${HEDDLE_KOKKOS_KERNELS_LIBRARY}"
             INTERFACE_INCLUDE_DIRECTORIES "${HEDDLE_KOKKOS_KERNELS_INCLUDE_DIR}"
             INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
# Debian's needs libraries of the Kokkos beside it, and says not where they are: an RPATH of the
# program is looked up for them too, a RUNPATH is not.
if(HEDDLE_KOKKOS_KERNELS_LIBRARY MATCHES "[.]so$")
  set_target_properties(Heddle::kokkos_kernels PROPERTIES INTERFACE_LINK_OPTIONS
                                                          "LINKER:--disable-new-dtags")
endif()
