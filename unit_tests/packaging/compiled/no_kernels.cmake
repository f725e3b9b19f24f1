# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The point of the compiled part: an object that uses it defines no kernel and no executor itself.
execute_process(COMMAND "${nm}" -C --defined-only "${object}" OUTPUT_VARIABLE symbols
                        COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "SpmvPlan")
  message(FATAL_ERROR "${object} has nothing to do with a plan:\n${symbols}")
endif()
if(symbols MATCHES "[^\n]*heddle::detail::(csr|ell)::[^\n]*")
  message(FATAL_ERROR "${object} defines what Heddle::compiled holds:\n${CMAKE_MATCH_0}")
endif()
