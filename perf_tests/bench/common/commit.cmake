# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run at every build: writes OUTPUT with the commit of SOURCE, "-dirty" where files differ from it.
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude *
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE failed
  ERROR_QUIET)
if(failed)
  set(commit "unknown")
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
