# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by dev/test and dev/demo: where the build lies, and steps that name themselves.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The sandbox has a compiler and a Kokkos of its own, hence a build folder of its own.
build=build/${HEDDLE_SANDBOX:+sandbox}
[[ -n ${HEDDLE_SANDBOX:-} ]] || build=build/openmp
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

# step TITLE REMEDY COMMAND...: runs COMMAND in sight; if it fails, says which step and what to do.
step() {
  local title=$1 remedy=$2 begin=$SECONDS
  shift 2
  printf '\n== %s\n' "$title"
  "$@" || {
    printf '\n== FAILED: %s\n   %s\n' "$title" "$remedy" >&2
    exit 1
  }
  printf '== %s: %d s\n' "$title" $((SECONDS - begin))
}

configure() {
  step "configure $build" \
    "the lines above name what is missing; dev/sandbox holds all of it: dev/sandbox $0" \
    cmake --preset openmp -B "$build"
}
