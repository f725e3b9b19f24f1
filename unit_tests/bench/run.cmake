# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs PROGRAM with the words of RUN (between |) and compares: the exit code with EXIT, standard error with the regular
# expression ERR, and standard output with the lines of the file OUT; OUT none wants nothing there. Each line of OUT must be
# found in what follows the line before: other lines may lie between, "..." is any text within a line, and several blanks
# are as good as one.
string(REPLACE "|" ";" words "${RUN}")
execute_process(COMMAND "${PROGRAM}" ${words} OUTPUT_VARIABLE out ERROR_VARIABLE err
                RESULT_VARIABLE code)

function(fail why)
  message(FATAL_ERROR "${why}\n--- exit code ${code}\n--- standard output\n${out}\n"
                      "--- standard error\n${err}")
endfunction()

if(NOT code EQUAL "${EXIT}")
  fail("exit code ${code} instead of ${EXIT}")
endif()
if(ERR AND NOT err MATCHES "${ERR}")
  fail("standard error does not match ${ERR}")
endif()
if(OUT STREQUAL "none" AND NOT out STREQUAL "")
  fail("standard output is not empty")
endif()
if(NOT OUT OR OUT STREQUAL "none")
  return()
endif()

string(REGEX REPLACE " +" " " rest "\n${out}")
string(REGEX REPLACE "\n " "\n" rest "${rest}")
string(REGEX REPLACE " \n" "\n" rest "${rest}")
file(STRINGS "${OUT}" lines)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${line}")
  string(REPLACE "\\.\\.\\." "[^\n]*" pattern "${pattern}")
  if(NOT rest MATCHES "\n${pattern}\n")
    fail("standard output lacks, after the lines before it, this line of ${OUT}:\n${line}")
  endif()
  string(FIND "${rest}" "${CMAKE_MATCH_0}" at)
  string(LENGTH "${CMAKE_MATCH_0}" length)
  math(EXPR at "${at} + ${length} - 1")
  string(SUBSTRING "${rest}" ${at} -1 rest)
endforeach()
