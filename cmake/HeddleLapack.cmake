# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::lapack: Heddle::heddle with LAPACKE, for the small eigenproblems of <heddle/lobpcg.hpp>. Of an
# installed Heddle find_package(Heddle COMPONENTS lapack) makes it.
find_path(HEDDLE_LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
find_library(HEDDLE_LAPACKE_LIBRARY lapacke)
set(Heddle_lapack_FOUND FALSE)
if(HEDDLE_LAPACKE_INCLUDE_DIR AND HEDDLE_LAPACKE_LIBRARY)
  set(Heddle_lapack_FOUND TRUE)
  if(NOT TARGET Heddle::lapack)
    add_library(Heddle::lapack INTERFACE IMPORTED)
    target_link_libraries(Heddle::lapack INTERFACE Heddle::heddle "${HEDDLE_LAPACKE_LIBRARY}")
    target_include_directories(Heddle::lapack SYSTEM INTERFACE "${HEDDLE_LAPACKE_INCLUDE_DIR}")
    target_compile_definitions(Heddle::lapack INTERFACE HEDDLE_LAPACKE LAPACK_COMPLEX_CPP)
  endif()
endif()
