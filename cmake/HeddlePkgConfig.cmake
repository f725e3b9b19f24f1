# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle.pc. Kokkos has none of its own, so what its targets ask for is written out here. A Kokkos
# with a device needs its own compiler (nvcc_wrapper, hipcc) for the flags to make sense.
set(HEDDLE_PC_REQUIRES "")
if(HEDDLE_HAVE_ZLIB)
  string(APPEND HEDDLE_PC_REQUIRES " zlib")
endif()
if(HEDDLE_HAVE_LZMA)
  string(APPEND HEDDLE_PC_REQUIRES " liblzma")
endif()

# Flags that follow from the targets are known when CMake generates, hence two steps.
set(flags "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:Kokkos::kokkos,INTERFACE_COMPILE_OPTIONS>>")
set(folders "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:Kokkos::kokkos,INTERFACE_INCLUDE_DIRECTORIES>>")
set(HEDDLE_PC_CFLAGS "$<JOIN:${flags}, > $<$<BOOL:${folders}>:-I$<JOIN:${folders}, -I>>")
set(HEDDLE_PC_LIBS
    "$<TARGET_LINKER_FILE:Kokkos::kokkoscontainers> $<TARGET_LINKER_FILE:Kokkos::kokkoscore>")
string(APPEND HEDDLE_PC_LIBS " $<JOIN:${flags}, > -ldl")
if(Kokkos_ENABLE_CUDA)
  string(APPEND HEDDLE_PC_LIBS " -lcuda")
endif()

configure_file(cmake/heddle.pc.in "${CMAKE_CURRENT_BINARY_DIR}/heddle.pc.configured" @ONLY)
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/heddle.pc.generated"
     INPUT "${CMAKE_CURRENT_BINARY_DIR}/heddle.pc.configured")
# "SHELL:" in an option is CMake's own word for "several words". Libraries that the linker finds by
# itself are named for it, so that the file is the same on every architecture.
install(
  CODE "
  file(READ \"${CMAKE_CURRENT_BINARY_DIR}/heddle.pc.generated\" text)
  string(REPLACE \"SHELL:\" \"\" text \"\${text}\")
  foreach(folder IN ITEMS ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
    string(REPLACE \" \${folder}/lib\" \" @l@\" text \"\${text}\")
  endforeach()
  string(REGEX REPLACE \"@l@([^ .\n]+)[.][^ \n]*\" \"-l\\\\1\" text \"\${text}\")
  file(WRITE \"${CMAKE_CURRENT_BINARY_DIR}/heddle.pc\" \"\${text}\")"
  COMPONENT heddle)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/heddle.pc"
        DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/pkgconfig" COMPONENT heddle)
