# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs PROGRAM with the words of RUN (between |) and compares: the exit code with EXIT, standard
# error with the regular expression ERR, and standard output with the golden file OUT, after
# figures that depend on the machine have been replaced in it; OUT none wants nothing there.
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

string(REGEX REPLACE "[0-9.]+ (us|ms|s)([ ,\n])" "TIME\\2" plain "${out}")
string(REGEX REPLACE "[0-9.]+ GB/s" "RATE" plain "${plain}")
# How busy the machine was shows in the spread of every time, and in a line where it is large.
string(REGEX REPLACE "TIME +[0-9]+% " "TIME SPREAD " plain "${plain}")
string(REGEX REPLACE "\n  unsteady: [^\n]*\n" "" plain "${plain}")
string(REGEX REPLACE "  unsteady: (time|queued) (spreads [0-9]+%|of [0-9]+ repetitions?|takes longer than with waits)"
                     "" plain "${plain}")
string(REGEX REPLACE "TIME +TIME +[0-9.]+ +TIME +SPREAD +TIME +TIME +[0-9.]+ +[0-9]+% "
                     "TIME TIME N TIME SPREAD TIME TIME N N% " plain "${plain}")
string(REGEX REPLACE "TIME +[0-9.]+ +TIME +SPREAD +TIME +TIME +[0-9.]+ +[0-9]+% "
                     "TIME N TIME SPREAD TIME TIME N N% " plain "${plain}")
# Of sptrsv: setup, solves, update, time, queued, ns a level.
string(REGEX REPLACE "TIME +[0-9.]+ +TIME +TIME +SPREAD +TIME +[0-9.]+ "
                     "TIME N TIME TIME SPREAD TIME N " plain "${plain}")
# Of ilu: setup, setup over time, time, what is kept, over the peer's.
string(REGEX REPLACE "TIME +[0-9.e+]+ +TIME +SPREAD +[0-9.]+ [KMG]?B +([0-9.]+x|-) "
                     "TIME N TIME SPREAD BYTES N " plain "${plain}")
# Of multiply: symbolic, numeric, both, what is kept, and both over the peer's.
string(REGEX REPLACE "TIME +TIME +SPREAD +TIME +[0-9.]+ [KMG]?B +([0-9.]+x|-) +([0-9.]+x|-) "
                     "TIME TIME SPREAD TIME BYTES N N " plain "${plain}")
# Of gs: setup, setup over time, time, rate, share of the product's, what is kept, over the peer's.
string(REGEX REPLACE "TIME +[0-9.e+]+ +TIME +SPREAD +[0-9.]+ +[0-9]+% +[0-9.]+ [KMG]?B +([0-9.]+x|-) "
                     "TIME N TIME SPREAD N N% BYTES N " plain "${plain}")
# Of solve: setup, factor, iterations, one of them, the solve, with setup, over the peer's.
string(REGEX REPLACE "(TIME|-) +[0-9]+ +TIME +TIME +SPREAD +TIME +([0-9.e+]+x|-) "
                     "\\1 N TIME TIME SPREAD TIME N " plain "${plain}")
# Of multigrid: setup, over a cycle, new values, over a cycle, a cycle, iterations, what is kept; of a level
# what it keeps, its time, and what runs.
string(REGEX REPLACE "TIME +[0-9.e+]+ +TIME +[0-9.e+]+ +TIME +SPREAD +[0-9]+ +[0-9.]+ [KMG]?B "
                     "TIME N TIME N TIME SPREAD N BYTES " plain "${plain}")
string(REGEX REPLACE "([0-9]+) +[0-9.]+ [KMG]?B +TIME +[a-z][^ \n]*, " "\\1 BYTES TIME SCHEME, " plain
                     "${plain}")
string(REGEX REPLACE "fastest with setup: [^\n]+" "fastest with setup: BEST" plain "${plain}")
# Of operations on vectors: rate, and share of triad's.
string(REGEX REPLACE "TIME +[0-9.]+ +[0-9]+%\n" "TIME N N%\n" plain "${plain}")
# What a plan moves and what it makes of an open parameter depend on the processor.
string(REGEX REPLACE "N% +[0-9.]+ [KMG]B " "N% BYTES " plain "${plain}")
string(REGEX REPLACE " ok +[a-z-]+/[^ \n]+( [a-z-]+/[^ \n]+)*" " ok" plain "${plain}")
# Of a trace: the scheme, and which of the rows were late.
string(REGEX REPLACE "trace of [^\n]*" "trace of SCHEME" plain "${plain}")
string(REGEX REPLACE "path: [0-9]+ " "path: N " plain "${plain}")
# Nor is it known what a search finds.
string(REGEX REPLACE "a search tried [^\n]*(, and [a-z ]+): [^\n]*" "a search tried N schemes\\1: BEST"
                     plain "${plain}")
# Of lobpcg: set-up, solve, iterations, products, residual, scale. Of sgd: set-up, waves, epoch, of a rating,
# RMSE, over the loop's.
string(REGEX REPLACE "(TIME|-) +TIME +[0-9]+ +[0-9]+ +[0-9.e+-]+ +[0-9.]+ " "\\1 TIME N N RESIDUAL SCALE "
                     plain "${plain}")
string(REGEX REPLACE "(TIME|-) +([0-9]+) +TIME +[0-9.]+ +[0-9.]+ +[0-9.]+\n" "\\1 \\2 TIME N N N\n"
                     plain "${plain}")
# What steps there are depends on the device, and on whether its threads ran at the same time.
string(REGEX REPLACE " *a dependent step takes [^\n]*\n" "" plain "${plain}")
string(REGEX REPLACE "an allocation and its release: [^\n]+; from 65.5 KB on about TIME and TIME a MB"
                     "an allocation and its release: TIMES" plain "${plain}")
string(REGEX REPLACE "addresses: [0-9]+ bytes of small blocks, [0-9]+ of"
                     "addresses: N bytes of small blocks, N of" plain "${plain}")
string(REGEX REPLACE "a dependent step: [^\n]+" "a dependent step: STEPS" plain "${plain}")
string(REGEX REPLACE "in all [0-9]+ schemes?;" "in all N schemes;" plain "${plain}")
string(REGEX REPLACE " +" " " plain "${plain}")
string(REGEX REPLACE " +\n" "\n" plain "${plain}")

# The golden file may leave out what comes between: a line "..." stands for any lines.
file(READ "${OUT}" golden)
string(REPLACE "\n...\n" "\n;" parts "\n${golden}")
set(rest "\n${plain}")
foreach(part IN LISTS parts)
  string(FIND "${rest}" "${part}" at)
  if(at EQUAL -1)
    fail("standard output, figures replaced, lacks this part of ${OUT}:\n${part}\n--- it is\n${plain}")
  endif()
  string(LENGTH "${part}" length)
  math(EXPR at "${at} + ${length} - 1")
  string(SUBSTRING "${rest}" ${at} -1 rest)
endforeach()
