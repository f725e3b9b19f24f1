# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the scripts of dev/: where builds lie, and steps that name themselves.
source "$(dirname "${BASH_SOURCE[0]}")/usage.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
source dev/commit.sh
source dev/environment.sh

# The sandbox has a compiler and a Kokkos of its own, hence build folders of its own.
builds=build
[[ -z ${HEDDLE_SANDBOX:-} ]] || builds=build/sandbox

# How tests are compiled. -Og: a quarter less to compile than -O1, and they run about as long. The formats that they share
# are compiled as users compile them.
# shellcheck disable=SC2034
test_flags=(-DCMAKE_CXX_FLAGS_RELEASE=-Og "-DHEDDLE_TEST_INSTANCE_OPTIONS=-O2 -DNDEBUG")

# Sets cpu to the CPU seconds of all commands so far: the cost of a step, however busy the machine is.
count_cpu() {
  local file
  file=$(mktemp)
  times >"$file"  # not in a subshell, which would tell its own
  cpu=$(awk -F '[ms ]+' 'END {printf "%d", $1 * 60 + $2 + $3 * 60 + $4}' "$file")
  rm "$file"
}

steps_taken=""
# step TITLE REMEDY COMMAND...: runs COMMAND in sight; if it fails, says which step and what to do.
step() {
  local title=$1 remedy=$2 begin=$SECONDS cpu line
  count_cpu
  local cpu_before=$cpu
  shift 2
  printf '\n== %s\n' "$title"
  "$@" || {
    printf '\n== FAILED: %s\n   %s\n' "$title" "$remedy" >&2
    exit 1
  }
  count_cpu
  printf -v line '== %s: %d s, %d s of CPU' "$title" $((SECONDS - begin)) $((cpu - cpu_before))
  steps_taken+=$line$'\n'
  printf '%s\n' "$line"
}

# Of a folder that was configured at another path nothing can be used.
another_path() {  # FOLDER
  local was
  was=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null) || return 1
  [[ $was != "$PWD" ]] && echo "$1 was configured at $was, and is made anew"
}

# configure FOLDER CMAKE_ARGUMENTS...
configure() {
  local folder=$1
  shift
  ! another_path "$folder" || rm -rf "$folder"
  step "configure $folder" \
    "the lines above name what is missing; dev/sandbox holds all of it: dev/sandbox $this" \
    cmake --preset "${preset:-openmp}" -B "$folder" ${HEDDLE_SANDBOX:+"-DCMAKE_TEST_LAUNCHER=$PWD/dev/parts/run_test"} \
    "$@" ${HEDDLE_CMAKE_ARGUMENTS:-}
}

# configure_sanitized SIXTH: the tests and the fuzz targets by clang, with its sanitizers; of the tests every sixth from
# number SIXTH on, or all. Sets sanitized to the folder.
configure_sanitized() {
  local left_out='soak/|formats/test_many_nonzeros|solvers/kokkos_kernels/test_kk_'
  sanitized=$builds/asan-ubsan  # for both: clang's precompiled headers name the folder, and ccache finds those of another
  # Half of the time to compile is the optimizer's, and all but kernels runs soon enough without it.
  preset=asan-ubsan configure "$sanitized" -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_CXX_FLAGS_NONE=-O0 -DHEDDLE_TEST_INSTANCE_OPTIONS=-O1 -DHEDDLE_WARNINGS_AS_ERRORS=ON \
    -DHEDDLE_BUILD_BENCHMARKS=OFF -DHEDDLE_BUILD_EXAMPLES=OFF -DHEDDLE_BUILD_FUZZERS=ON -DHEDDLE_INSTALL=OFF \
    "-DHEDDLE_TESTS_LEFT_OUT=$left_out" -DHEDDLE_SANITIZED_TESTS=ON "-DHEDDLE_TESTS_SIXTH=$1"
}

# run_tests FOLDER REMEDY [CTEST ARGUMENTS]: in the sandbox a test that passed as it is now is not run (dev/parts/run_test).
run_tests() {
  local folder=$1 remedy=$2 log=$1/Testing/Temporary/LastTest.log line
  shift 2
  step "test $folder" "$remedy" ctest --test-dir "$folder" -j "$(nproc)" --no-tests=error --output-on-failure "$@"
  [[ -n ${HEDDLE_KEPT:-} ]] || return 0
  printf -v line '== of %d tests %d had passed as they are now, and were not run; seed of the others: %d\n' \
    "$(grep -cE '^[0-9]+/[0-9]+ Testing: ' "$log")" "$(grep -c '^kept: ' "$log")" "${HEDDLE_SEED:-$(seed)}"
  printf '%s' "$line"
  steps_taken+=$line
  find "$HEDDLE_KEPT" -mindepth 2 -maxdepth 2 -mtime +60 -exec rm -rf {} +
}
# build FOLDER [TARGET...]
build() {
  step "build ${2:-$1}${3:+ and $(($# - 2)) more}" "see the first error above; again builds only what is left: dev/sandbox $this" \
    cmake --build "$1" ${2:+--target "${@:2}"}
}
