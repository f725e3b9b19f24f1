# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced at the top of the project, by dev/steps.sh and by dev/sandbox for whatever it runs: what CMake, ccache and the
# programs that they make read from the environment.

# CMake reads this one itself. Without ccache all is compiled each time.
! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
# What its manual asks for, so that sources with a precompiled header are found again too.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"

# OpenMP runtimes keep memory to the end of the process, which is no leak of ours. The readers' threads
# are not OpenMP's, so theirs would show.
export LSAN_OPTIONS="suppressions=$PWD/dev/leaks.txt:print_suppressions=0"
