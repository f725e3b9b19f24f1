# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::tpetra for <heddle/tpetra.hpp> and Heddle::ifpack2 for <heddle/ifpack2.hpp>, for tests and
# examples of this tree. Of an installed Heddle, however it was configured,
# find_package(Heddle COMPONENTS tpetra ifpack2) makes them.
# Tpetra brings the Kokkos that it was built with, and Heddle must have found the same one.
find_package(Tpetra CONFIG REQUIRED)
find_package(Belos CONFIG REQUIRED)
find_package(Ifpack2 CONFIG REQUIRED)
include(HeddleMpiTests)

add_library(heddle_tpetra INTERFACE)
add_library(Heddle::tpetra ALIAS heddle_tpetra)
target_link_libraries(heddle_tpetra INTERFACE heddle Tpetra::all_libs)
add_library(heddle_ifpack2 INTERFACE)
add_library(Heddle::ifpack2 ALIAS heddle_ifpack2)
target_link_libraries(heddle_ifpack2 INTERFACE heddle Ifpack2::all_libs)
