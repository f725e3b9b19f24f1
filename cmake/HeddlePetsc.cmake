# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::petsc: Heddle::heddle with PETSc and MPI, for <heddle/petsc.hpp>. PETSc is found by pkg-config: in the
# folders that PKG_CONFIG_PATH names, then in those of PETSC_DIR and PETSC_ARCH, then in Debian's. Of an installed
# Heddle find_package(Heddle COMPONENTS petsc) makes it.
set(Heddle_petsc_FOUND FALSE)
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS CXX)
if(PKG_CONFIG_FOUND AND MPI_CXX_FOUND)
  set(heddle_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  set(heddle_petsc_folders "${heddle_pkg_config_path}")
  if(NOT "$ENV{PETSC_DIR}" STREQUAL "")
    list(APPEND heddle_petsc_folders "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}/lib/pkgconfig" "$ENV{PETSC_DIR}/lib/pkgconfig")
  endif()
  # A glob sorts what it finds, so it is for Debian's folders alone.
  file(GLOB heddle_petsc_of_debian "/usr/lib/petscdir/petsc3*/*-real/lib/pkgconfig")
  list(APPEND heddle_petsc_folders ${heddle_petsc_of_debian})
  list(JOIN heddle_petsc_folders ":" heddle_petsc_folders)
  set(ENV{PKG_CONFIG_PATH} "${heddle_petsc_folders}")
  pkg_check_modules(HEDDLE_PETSC QUIET IMPORTED_TARGET GLOBAL "PETSc>=3.25")
  set(ENV{PKG_CONFIG_PATH} "${heddle_pkg_config_path}")
endif()
if(TARGET PkgConfig::HEDDLE_PETSC)
  set(Heddle_petsc_FOUND TRUE)
  if(NOT TARGET Heddle::petsc)
    add_library(Heddle::petsc INTERFACE IMPORTED)
    target_link_libraries(Heddle::petsc INTERFACE Heddle::heddle PkgConfig::HEDDLE_PETSC MPI::MPI_CXX)
  endif()
endif()
