# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle::petsc: Heddle::heddle with PETSc and MPI, for <heddle/petsc.hpp>. PETSc is found by pkg-config: by the
# folders that PKG_CONFIG_PATH names, those of PETSC_DIR and PETSC_ARCH, and Debian's. Of an installed Heddle
# find_package(Heddle COMPONENTS petsc) makes it.
set(Heddle_petsc_FOUND FALSE)
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS CXX)
if(PKG_CONFIG_FOUND AND MPI_CXX_FOUND)
  file(GLOB heddle_petsc_folders "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}/lib/pkgconfig" "$ENV{PETSC_DIR}/lib/pkgconfig"
       "/usr/lib/petscdir/petsc3*/*-real/lib/pkgconfig")
  set(heddle_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  list(JOIN heddle_petsc_folders ":" heddle_petsc_folders)
  set(ENV{PKG_CONFIG_PATH} "${heddle_pkg_config_path}:${heddle_petsc_folders}")
  pkg_check_modules(HEDDLE_PETSC QUIET IMPORTED_TARGET GLOBAL PETSc)
  set(ENV{PKG_CONFIG_PATH} "${heddle_pkg_config_path}")
endif()
if(TARGET PkgConfig::HEDDLE_PETSC)
  set(Heddle_petsc_FOUND TRUE)
  if(NOT TARGET Heddle::petsc)
    add_library(Heddle::petsc INTERFACE IMPORTED)
    target_link_libraries(Heddle::petsc INTERFACE Heddle::heddle PkgConfig::HEDDLE_PETSC MPI::MPI_CXX)
  endif()
endif()
