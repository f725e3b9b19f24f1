# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sources lie in core/, backends/, formats/ and solvers/; users and the sources themselves write
# <heddle/core/types.hpp> and <heddle/spmv.hpp>. This makes the tree where both are true, by links to
# the source folders, and HeddleInstall.cmake installs the same tree.
set(HEDDLE_INCLUDE_DIR "${CMAKE_CURRENT_BINARY_DIR}/include")
set(HEDDLE_HEADER_FOLDERS "")

file(MAKE_DIRECTORY "${HEDDLE_INCLUDE_DIR}/heddle")
configure_file(cmake/config.hpp.in "${HEDDLE_INCLUDE_DIR}/heddle/config.hpp" @ONLY)

foreach(folder IN ITEMS core backends formats solvers)
  if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
    list(APPEND HEDDLE_HEADER_FOLDERS ${folder})
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${folder}" "${HEDDLE_INCLUDE_DIR}/heddle/${folder}"
         SYMBOLIC)
  endif()
endforeach()

# The public names, one a line: <heddle/NAME> is found in FOLDERS.
set(HEDDLE_PUBLIC_NAMES
    spmv.hpp=formats/spmv.hpp
    matrix_market.hpp=core/files/matrix_market.hpp
    petsc.hpp=core/files/petsc.hpp
    read_matrix.hpp=core/files/read_matrix.hpp
    kokkos_kernels.hpp=formats/kokkos_kernels.hpp)

function(heddle_forwarding_header name)
  set(text "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n#pragma once\n\n")
  foreach(target IN LISTS ARGN)
    string(APPEND text "#include <heddle/${target}>\n")
  endforeach()
  file(CONFIGURE OUTPUT "${HEDDLE_INCLUDE_DIR}/heddle/${name}" CONTENT "${text}" @ONLY)
endfunction()

# A header that appears or goes makes the next build configure itself again.
file(GLOB unused CONFIGURE_DEPENDS core/files/*.hpp formats/*.hpp solvers/*.hpp)

set(HEDDLE_FORWARDING_HEADERS "")
set(everything config.hpp)
foreach(pair IN LISTS HEDDLE_PUBLIC_NAMES)
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 target)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${target}")
    heddle_forwarding_header(${name} ${target})
    list(APPEND HEDDLE_FORWARDING_HEADERS ${name})
    if(NOT name STREQUAL "kokkos_kernels.hpp")  # that one needs Kokkos Kernels' own headers
      list(APPEND everything ${target})
    endif()
  endif()
endforeach()
heddle_forwarding_header(heddle.hpp ${everything})
list(APPEND HEDDLE_FORWARDING_HEADERS heddle.hpp)
