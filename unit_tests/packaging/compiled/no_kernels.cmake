# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The point of the compiled part: an object that uses it defines no kernel, no executor and no inspector
# of Heddle itself, but for those of a format of its own.
string(REPLACE "|" ";" objects "${objects}")
foreach(object IN LISTS objects)
  execute_process(COMMAND "${nm}" -C "${object}" OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
  if(NOT names MATCHES "PlanCore|Formats<")
    message(FATAL_ERROR "${object} has nothing to do with a plan:\n${names}")
  endif()
  execute_process(COMMAND "${nm}" -C --defined-only "${object}" OUTPUT_VARIABLE symbols
                          COMMAND_ERROR_IS_FATAL ANY)
  foreach(held IN ITEMS "heddle::detail::[a-z_:]*[A-Za-z]*(Kernel|Executor|Storage)" "heddle::[A-Za-z]*Format::inspect<"
                        "heddle::[a-z_:]*(row_features|pattern_features|check_promises|rank)[<(]"
                        "heddle::[A-Za-z]*Format::(grammar|predict)\\(")
    if(symbols MATCHES "[^\n]*${held}[^\n]*")
      message(FATAL_ERROR "${object} defines what the compiled part holds:\n${CMAKE_MATCH_0}")
    endif()
  endforeach()
endforeach()
