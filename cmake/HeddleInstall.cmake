# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Three components: `heddle`, which is headers, the CMake package and the pkg-config file, the same on
# every architecture; `heddle_compiled`, which is the library of cmake/HeddleCompiled.cmake; and
# `heddle_tools`, heddle-bench with its sets of matrices, which perf_tests/CMakeLists.txt installs.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(cmake_folder "${CMAKE_INSTALL_DATAROOTDIR}/cmake/Heddle")

foreach(folder IN LISTS HEDDLE_HEADER_FOLDERS ITEMS testing)
  install(
    DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${folder}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heddle"
    COMPONENT heddle
    FILES_MATCHING
    PATTERN "*.hpp")
endforeach()
list(TRANSFORM HEDDLE_PUBLIC_HEADERS PREPEND "${HEDDLE_INSTALLED_NAMES_DIR}/"
     OUTPUT_VARIABLE public_headers)
install(FILES "${HEDDLE_INCLUDE_DIR}/heddle/config.hpp" ${public_headers}
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heddle" COMPONENT heddle)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/heddle")

target_include_directories(heddle_headers
                           INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS heddle heddle_headers EXPORT HeddleTargets COMPONENT heddle)
install(
  EXPORT HeddleTargets
  NAMESPACE Heddle::
  DESTINATION "${cmake_folder}"
  COMPONENT heddle)
configure_package_config_file(cmake/HeddleConfig.cmake.in
                              "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake"
                              INSTALL_DESTINATION "${cmake_folder}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake"
              "${CMAKE_CURRENT_SOURCE_DIR}/cmake/HeddlePlans.cmake"
              "${CMAKE_CURRENT_SOURCE_DIR}/cmake/HeddleLapack.cmake"
              "${CMAKE_CURRENT_SOURCE_DIR}/cmake/HeddleDirect.cmake"
              "${CMAKE_CURRENT_SOURCE_DIR}/cmake/HeddlePetsc.cmake"
        DESTINATION "${cmake_folder}" COMPONENT heddle)
include(HeddlePkgConfig)

if(TARGET heddle_compiled)
  set(compiled_folder "${CMAKE_INSTALL_LIBDIR}/cmake/HeddleCompiled")
  install(TARGETS heddle_compiled EXPORT HeddleCompiledTargets COMPONENT heddle_compiled)
  install(
    EXPORT HeddleCompiledTargets
    NAMESPACE Heddle::
    DESTINATION "${compiled_folder}"
    COMPONENT heddle_compiled)
  string(REGEX MATCH "^[0-9]+[.][0-9]+" HEDDLE_KOKKOS_MAJOR_MINOR "${Kokkos_VERSION}")
  configure_file(cmake/HeddleCompiledConfig.cmake.in
                 "${CMAKE_CURRENT_BINARY_DIR}/HeddleCompiledConfig.cmake" @ONLY)
  write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/HeddleCompiledConfigVersion.cmake"
                                   COMPATIBILITY ExactVersion)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/HeddleCompiledConfig.cmake"
                "${CMAKE_CURRENT_BINARY_DIR}/HeddleCompiledConfigVersion.cmake"
          DESTINATION "${compiled_folder}" COMPONENT heddle_compiled)
endif()
