# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack` in the build folder packs what is installed: for Debian libheddle-dev, where there is a
# compiled library libheddle-compiled-dev, where heddle-bench is built heddle-tools, and where the Python package is
# python3-heddle; for all others one .tar.gz.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "The Heddle developers")
set(CPACK_PACKAGE_FILE_NAME "heddle-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES OFF)  # static libraries are linked by their symbols
set(CPACK_VERBATIM_VARIABLES ON)
if(NOT CPACK_PACKAGE_CONTACT)  # who hands packages on says -DCPACK_PACKAGE_CONTACT="NAME <ADDRESS>"
  set(CPACK_PACKAGE_CONTACT "The Heddle developers <maintainers@heddle.invalid>")  # packaging/addresses
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SOURCE heddle)

# Debian's policy wants the licence there; a plain install has it in doc/heddle.
function(heddle_debian_package component name)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}" RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(CPACK_COMPONENTS_ALL heddle)
set(CPACK_DEBIAN_HEDDLE_PACKAGE_NAME libheddle-dev)
set(CPACK_DEBIAN_HEDDLE_PACKAGE_ARCHITECTURE all)
set(depends "libkokkos-dev (>= ${HEDDLE_KOKKOS_MINIMUM})")
if(HEDDLE_HAVE_ZLIB)
  string(APPEND depends ", zlib1g-dev")
endif()
if(HEDDLE_HAVE_LZMA)
  string(APPEND depends ", liblzma-dev")
endif()
set(CPACK_DEBIAN_HEDDLE_PACKAGE_DEPENDS "${depends}")
set(CPACK_DEBIAN_HEDDLE_PACKAGE_SUGGESTS "libpetsc-real-dev, libtrilinos-tpetra-dev, libtrilinos-ifpack2-dev, libsuitesparse-dev")
set(CPACK_COMPONENT_HEDDLE_DESCRIPTION
    "Header-only C++20 library: sparse matrix-vector products and triangular solves
in many formats, for CUDA, HIP and OpenMP, with the interfaces of Kokkos Kernels,
of Tpetra and of PETSc.")
heddle_debian_package(heddle libheddle-dev)

if(TARGET heddle_compiled)
  list(APPEND CPACK_COMPONENTS_ALL heddle_compiled)
  set(CPACK_DEBIAN_HEDDLE_COMPILED_PACKAGE_NAME libheddle-compiled-dev)
  # Compiled code goes with one minor version of Kokkos.
  string(REGEX MATCH "^([0-9]+)[.]([0-9]+)" kokkos "${Kokkos_VERSION}")
  math(EXPR next "${CMAKE_MATCH_2} + 1")
  set(depends "libheddle-dev (= ${PROJECT_VERSION})")
  string(APPEND depends ", libkokkos-dev (>= ${kokkos}), libkokkos-dev (<< ${CMAKE_MATCH_1}.${next}~)")
  set(CPACK_DEBIAN_HEDDLE_COMPILED_PACKAGE_DEPENDS "${depends}")
  list(JOIN HEDDLE_COMPILED_SCALARS ", " scalars)
  set(CPACK_COMPONENT_HEDDLE_COMPILED_DESCRIPTION
      "The common plans for ${scalars}, compiled once: programs that link
Heddle::heddle then need not compile them.")
  set(CPACK_DEBIAN_HEDDLE_PACKAGE_RECOMMENDS libheddle-compiled-dev)
  heddle_debian_package(heddle_compiled libheddle-compiled-dev)
endif()
# Debian's names of what programs are linked with; no tool that would find them is needed.
string(REGEX MATCH "^[0-9]+[.][0-9]+" kokkos "${Kokkos_VERSION}")
set(linked "libkokkos${kokkos}, libgomp1, libstdc++6")
if(HEDDLE_HAVE_ZLIB)
  string(APPEND linked ", zlib1g")
endif()
if(HEDDLE_HAVE_LZMA)
  string(APPEND linked ", liblzma5")
endif()
if(BUILD_SHARED_LIBS AND TARGET heddle_compiled)
  string(APPEND linked ", libheddle-compiled-dev (= ${PROJECT_VERSION})")
endif()
if(HEDDLE_BUILD_BENCHMARKS)
  list(APPEND CPACK_COMPONENTS_ALL heddle_tools)
  set(CPACK_DEBIAN_HEDDLE_TOOLS_PACKAGE_NAME heddle-tools)
  set(CPACK_DEBIAN_HEDDLE_TOOLS_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_HEDDLE_TOOLS_PACKAGE_DEPENDS "${linked}")
  set(CPACK_COMPONENT_HEDDLE_TOOLS_DESCRIPTION
      "heddle-bench: times sparse products, triangular solves and solvers of Heddle
and of other libraries on this machine, and verifies what they compute.")
  heddle_debian_package(heddle_tools heddle-tools)
endif()
if(TARGET heddle_python)
  list(APPEND CPACK_COMPONENTS_ALL heddle_python)
  set(CPACK_DEBIAN_HEDDLE_PYTHON_PACKAGE_NAME python3-heddle)
  set(CPACK_DEBIAN_HEDDLE_PYTHON_PACKAGE_SECTION python)
  # The compiled part is for the one Python that it was built with.
  string(REGEX MATCH "^([0-9]+)[.]([0-9]+)" python "${HEDDLE_PYTHON_VERSION}")
  math(EXPR next "${CMAKE_MATCH_2} + 1")
  set(depends "python3 (>= ${python}), python3 (<< ${CMAKE_MATCH_1}.${next}~), python3-numpy, ${linked}")
  set(CPACK_DEBIAN_HEDDLE_PYTHON_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_HEDDLE_PYTHON_PACKAGE_SUGGESTS "python3-scipy, python3-matplotlib")
  set(CPACK_COMPONENT_HEDDLE_PYTHON_DESCRIPTION
      "Sparse products, preconditioners and solvers for users of scipy, on the threads
of a CPU: the package heddle of Python.")
  heddle_debian_package(heddle_python python3-heddle)
endif()
include(CPack)
