# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_pages(NAME GIVEN HEADER PAGES PAGE... [LIBRARIES LIBRARY...]): every block ```cpp of the pages is
# compiled, so that pages and code cannot part; errors name the page and its line.
#
# A block with a main() is a program, which runs as a test from the root of the source tree. Others are
# excerpts, compiled only: all in one source, NAME, behind HEADER, which declares what pages take as given.
# An excerpt is part of a function, and sees what those above it on its page declare; one that begins with
# struct, class or template stands before the function. In the line above a block may stand
#   <!-- given: CODE -->        what this excerpt needs besides
#   <!-- not compiled: WHY -->  and it is not
function(heddle_pages name)
  if(NOT TARGET heddle_page_options)
    # That it compiles is all that counts: no machine code is made. Pages name things that they do not use;
    # a target's own options would stand before the warnings that it links.
    add_library(heddle_page_options INTERFACE)
    target_compile_options(heddle_page_options INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang>:-flto> -O0
                                                         -Wno-unused -Wno-uninitialized)
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "GIVEN" "PAGES;LIBRARIES")
  set(fence "```")
  set(includes "")
  set(excerpts "")
  foreach(page IN LISTS arg_PAGES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${page}")
    file(READ "${PROJECT_SOURCE_DIR}/${page}" rest)
    string(MAKE_C_IDENTIFIER "${page}" scope)
    set(line 1)
    set(programs 0)
    set(before "")
    set(body "")
    set(ends "")
    while(TRUE)
      string(FIND "${rest}" "${fence}cpp\n" begin)
      if(begin EQUAL -1)
        break()
      endif()
      string(SUBSTRING "${rest}" 0 ${begin} prose)
      math(EXPR begin "${begin} + 7")
      string(SUBSTRING "${rest}" ${begin} -1 rest)
      string(FIND "${rest}" "${fence}" end)
      string(SUBSTRING "${rest}" 0 ${end} code)
      string(SUBSTRING "${rest}" ${end} -1 rest)

      string(REGEX REPLACE "[^\n]" "" newlines "${prose}\n")
      string(LENGTH "${newlines}" lines)
      math(EXPR line "${line} + ${lines}")
      math(EXPR above "${line} - 2")
      set(block "#line ${line} \"${page}\"\n${code}")
      string(REGEX REPLACE "[^\n]" "" newlines "${code}")
      string(LENGTH "${newlines}" lines)
      math(EXPR line "${line} + ${lines}")

      string(REGEX MATCH "<!-- given: ([^\n]*) -->\n$" is_given "${prose}")
      set(block "#line ${above} \"${page}\"\n${CMAKE_MATCH_1}\n${block}")
      if(prose MATCHES "<!-- not compiled: [^\n]* -->\n$")
        continue()
      elseif(code MATCHES "int main\\(")
        math(EXPR programs "${programs} + 1")
        cmake_path(GET page STEM program)
        string(TOLOWER "heddle_${program}_block_${programs}" program)
        heddle_page_program(${program} "${block}" ${arg_LIBRARIES})
        continue()
      endif()
      string(REGEX MATCHALL "#include [^\n]*" found "${code}")
      list(APPEND includes ${found})
      if(code MATCHES "^(struct|class|template)")
        string(APPEND before "${block}")
      else()
        string(APPEND body "{\n${block}")
        string(APPEND ends "}")
      endif()
    endwhile()
    if(body OR before)
      string(APPEND excerpts "namespace ${scope} {\nusing namespace given;\n${before}"
                             "void excerpts() {\n${body}${ends}}\n}\n")
    endif()
  endforeach()
  if(NOT excerpts)
    return()
  endif()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(GENERATE OUTPUT "${source}" CONTENT "#include \"${arg_GIVEN}\"\n${includes}\n${excerpts}")
  add_library(${name} OBJECT "${source}")
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE Heddle::heddle heddle_warnings heddle_page_options ${arg_LIBRARIES})
endfunction()

function(heddle_page_program name program)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(GENERATE OUTPUT "${source}" CONTENT "${program}")
  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE Heddle::heddle heddle_warnings ${ARGN})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(
    ${name} PROPERTIES TIMEOUT 1500
    ENVIRONMENT "OMP_NUM_THREADS=2;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive")
endfunction()
