# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(cmake_folder "${CMAKE_INSTALL_DATAROOTDIR}/cmake/Heddle")

foreach(folder IN LISTS HEDDLE_HEADER_FOLDERS)
  install(
    DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${folder}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heddle"
    FILES_MATCHING
    PATTERN "*.hpp")
endforeach()
list(TRANSFORM HEDDLE_PUBLIC_HEADERS PREPEND "${HEDDLE_INSTALLED_NAMES_DIR}/"
     OUTPUT_VARIABLE public_headers)
install(FILES "${HEDDLE_INCLUDE_DIR}/heddle/config.hpp" ${public_headers}
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heddle")

target_include_directories(heddle INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS heddle EXPORT HeddleTargets)
install(
  EXPORT HeddleTargets
  NAMESPACE Heddle::
  DESTINATION "${cmake_folder}")
set(independent ARCH_INDEPENDENT)
if(TARGET heddle_compiled)
  set(independent "")
  install(TARGETS heddle_compiled EXPORT HeddleCompiled)
  install(
    EXPORT HeddleCompiled
    NAMESPACE Heddle::
    DESTINATION "${cmake_folder}")
endif()
configure_package_config_file(cmake/HeddleConfig.cmake.in
                              "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake"
                              INSTALL_DESTINATION "${cmake_folder}")
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ${independent})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake"
        DESTINATION "${cmake_folder}")
include(HeddlePkgConfig)
