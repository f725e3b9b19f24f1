# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Inside the library includes are relative, so the sources need no include path. Users write
# <heddle/spmv.hpp>: this makes those names, each a header of one line. The build tree's point at the
# sources, the installed ones (HeddleInstall.cmake) at the folders installed beside them.
set(HEDDLE_INCLUDE_DIR "${CMAKE_CURRENT_BINARY_DIR}/include")
set(HEDDLE_INSTALLED_NAMES_DIR "${CMAKE_CURRENT_BINARY_DIR}/installed_names")
set(HEDDLE_HEADER_FOLDERS core backends formats matrices solvers)

configure_file(cmake/config.hpp.in "${HEDDLE_INCLUDE_DIR}/heddle/config.hpp" @ONLY)

# The public names, one a line: <heddle/NAME>=FILE.
set(HEDDLE_PUBLIC_NAMES
    arena.hpp=core/arena.hpp
    bicgstab.hpp=solvers/bicgstab.hpp
    cg.hpp=solvers/cg.hpp
    chebyshev.hpp=solvers/chebyshev.hpp
    csr.hpp=matrices/csr.hpp
    direct.hpp=solvers/direct.hpp
    error.hpp=core/error.hpp
    features.hpp=formats/inspect/features.hpp
    format.hpp=formats/format.hpp
    gauss_seidel.hpp=solvers/gauss_seidel.hpp
    gmres.hpp=solvers/gmres.hpp
    ifpack2.hpp=solvers/tpetra/riluk.hpp
    kokkos_kernels.hpp=solvers/kokkos_kernels.hpp
    ilu.hpp=solvers/ilu.hpp
    lobpcg.hpp=solvers/lobpcg.hpp
    minres.hpp=solvers/minres.hpp
    matrix.hpp=core/matrix.hpp
    matrix_market.hpp=core/files/matrix_market.hpp
    model.hpp=formats/model/read.hpp
    mpi.hpp=solvers/mpi.hpp
    multigrid.hpp=solvers/multigrid.hpp
    operator.hpp=core/operator.hpp
    petsc.hpp=solvers/petsc.hpp
    petsc_binary.hpp=core/files/petsc_binary.hpp
    read_matrix.hpp=core/files/read_matrix.hpp
    recipes.hpp=formats/recipes.hpp
    sgd.hpp=solvers/sgd.hpp
    several_devices.hpp=backends/several_devices.hpp
    single_precision.hpp=solvers/single_precision.hpp
    solve.hpp=solvers/solve.hpp
    sparse_direct.hpp=solvers/sparse_direct.hpp
    spmv.hpp=formats/spmv.hpp
    sptrsv.hpp=solvers/sptrsv.hpp
    tpetra.hpp=solvers/tpetra.hpp
    vectors.hpp=solvers/vectors.hpp
    wavefronts.hpp=solvers/wavefronts.hpp)

# heddle_public_header(NAME FILES...): <heddle/NAME> includes config.hpp beside it, which says what the
# files may use, and the files of the source tree.
function(heddle_public_header name)
  set(license "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n#pragma once\n\n")
  string(APPEND license "#include \"config.hpp\"\n")
  set(here "${license}")
  set(installed "${license}")
  foreach(target IN LISTS ARGN)
    # Relative, so that two clones compile the same text, which ccache finds again.
    file(RELATIVE_PATH path "${HEDDLE_INCLUDE_DIR}/heddle" "${CMAKE_CURRENT_SOURCE_DIR}/${target}")
    string(APPEND here "#include \"${path}\"\n")
    string(APPEND installed "#include \"${target}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${HEDDLE_INCLUDE_DIR}/heddle/${name}" CONTENT "${here}" @ONLY)
  file(CONFIGURE OUTPUT "${HEDDLE_INSTALLED_NAMES_DIR}/${name}" CONTENT "${installed}" @ONLY)
endfunction()

set(HEDDLE_PUBLIC_HEADERS "")
set(everything "")
foreach(pair IN LISTS HEDDLE_PUBLIC_NAMES)
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 target)
  heddle_public_header(${name} ${target})
  list(APPEND HEDDLE_PUBLIC_HEADERS ${name})
  # Those that need other libraries' headers are included by who has them.
  if(NOT name MATCHES "^(tpetra|ifpack2|mpi|petsc|sparse_direct)\\.hpp$")
    list(APPEND everything ${target})
  endif()
endforeach()
heddle_public_header(heddle.hpp ${everything})
list(APPEND HEDDLE_PUBLIC_HEADERS heddle.hpp)

# What sources of instances (HeddlePlans.cmake) and users' tests name: parts of the library by their paths,
# which are those of an installed one too.
file(GLOB HEDDLE_INSTANCE_HEADERS CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
     formats/*/inspect.hpp solvers/*/definitions.hpp solvers/*/*_definitions.hpp testing/*.hpp)
list(APPEND HEDDLE_INSTANCE_HEADERS formats/all_formats.hpp formats/csr/apply_without_plan.hpp
     formats/definitions.hpp formats/inspect/definitions.hpp formats/instantiate.hpp formats/plan/rank.hpp)
foreach(header IN LISTS HEDDLE_INSTANCE_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  file(RELATIVE_PATH path "${HEDDLE_INCLUDE_DIR}/heddle/${folder}" "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
  file(CONFIGURE OUTPUT "${HEDDLE_INCLUDE_DIR}/heddle/${header}" CONTENT "#include \"${path}\"\n" @ONLY)
endforeach()
