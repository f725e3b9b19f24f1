# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the parts hip and cuda: kernels compiled for a GPU without one, with the headers
# of a Kokkos that was built for any backend. Who sources it sets `check`, the name in messages.
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)

die() {
  echo "$check: $1" >&2
  exit "${2:-2}"
}

# take_options VALUES ARGUMENT...: sets a variable for each option that is in VALUES, a list of words with a
# value each, and quiet, full, files, and whether these are the default.
take_options() {
  local with_value=" $1 "
  shift
  quiet=0 full=0 files=()
  while (($#)); do
    case $1 in
      --help) usage; exit 0 ;;
      --quiet) quiet=1; shift ;;
      --full) full=1; shift ;;
      --*)
        [[ $with_value == *" ${1#--} "* ]] || die "there is no option $1; see $check --help"
        (($# >= 2)) || die "$1 wants a value; see $check --help"
        printf -v "${1#--}" %s "$2"
        shift 2
        ;;
      *)
        [[ -f $1 ]] || die "there is no file $1"
        files+=("$(realpath -- "$1")")
        shift
        ;;
    esac
  done
  default_files=$((${#files[@]} == 0))
  ((default_files == 0)) ||
    files=("$source_dir"/dev/parts/device/*.cpp "$source_dir"/unit_tests/backends/test_*.cpp)
}

# find_kokkos HEADER: sets kokkos to a folder that has it, unless an option has.
find_kokkos() {
  if [[ -z $kokkos ]]; then
    for kokkos in ${Kokkos_ROOT:+"$Kokkos_ROOT"/include{/kokkos,}} /usr/include/kokkos; do
      [[ ! -f $kokkos/Kokkos_Core.hpp ]] || break
    done
  fi
  [[ -f $kokkos/$1 ]] ||
    die "$kokkos holds no Kokkos headers with $1 in them; give --kokkos DIR, or install libkokkos-dev"
}

# overlay FOLDER BACKEND FOLDER_OF_SETUP ARCHITECTURES. A Kokkos package ships the headers of every backend;
# which of them it turns on is said in five small files. Their editions for BACKEND (HIP, CUDA), made from the
# installed ones, go before them in the include path.
overlay() {
  local overlay=$1 backend=$2 setup=$3 architectures=$4 wanted
  mkdir -p "$overlay/desul/atomics"
  switch_on() { sed -E "s,^/\* #undef ($1) \*/,#define \1,"; }
  switch_off() { sed -E "s,^#define ($1)\$,/* #undef \1 */,"; }
  switch_off 'KOKKOS_ENABLE_(OPENMP|THREADS|HPX|CUDA|HIP|SYCL|OPENACC)|KOKKOS_ARCH_[A-Z0-9_]+' \
    <"$kokkos/KokkosCore_config.h" |
    switch_on "KOKKOS_ENABLE_(SERIAL|$backend)|KOKKOS_ARCH_(${architectures// /|})" \
      >"$overlay/KokkosCore_config.h"
  switch_off 'DESUL_ATOMICS_ENABLE_[A-Z_]+' <"$kokkos/desul/atomics/Config.hpp" |
    switch_on "DESUL_ATOMICS_ENABLE_$backend" >"$overlay/desul/atomics/Config.hpp"
  printf '#include <%s>\n' decl/Kokkos_Declare_{SERIAL,"$backend"}.hpp \
    >"$overlay/KokkosCore_Config_DeclareBackend.hpp"
  printf '#include <%s>\n' fwd/Kokkos_Fwd_{SERIAL,"$backend"}.hpp \
    >"$overlay/KokkosCore_Config_FwdBackend.hpp"
  printf '#include <%s>\n' "setup/Kokkos_Setup_$setup.hpp" \
    >"$overlay/KokkosCore_Config_SetupBackend.hpp"
  for wanted in KOKKOS_ENABLE_SERIAL "KOKKOS_ENABLE_$backend" "DESUL_ATOMICS_ENABLE_$backend" \
    $(printf 'KOKKOS_ARCH_%s ' $architectures); do
    grep -rqE "^#define $wanted( |\$)" "$overlay" ||
      die "the headers in $kokkos know no $wanted, so they cannot be set up for $arch"
  done
}

# include_tree FOLDER: where <heddle/...> lies.
include_tree() {
  ! command -v ninja >/dev/null || export CMAKE_GENERATOR=${CMAKE_GENERATOR-Ninja}
  cmake -S "$source_dir" -B "$1" -DHEDDLE_BUILD_TESTS=OFF -DHEDDLE_BUILD_BENCHMARKS=OFF \
    -DHEDDLE_BUILD_EXAMPLES=OFF -DHEDDLE_INSTALL=OFF >"$work/cmake.log" 2>&1 ||
    { cat "$work/cmake.log" >&2; die "cmake could not make the include tree" 1; }
}

# compile_all COMMAND SUFFIX: COMMAND FILE OUTPUT for each file, $jobs at a time; sets outputs. Ends where one fails.
compile_all() {
  local command=$1 suffix=$2 file name
  outputs=()
  for file in "${files[@]}"; do
    name=${file#"$source_dir"/}
    name=${name//\//_} name=${name%.cpp}
    outputs+=("$out/$name.$suffix")
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    compile_one "$command" "$file" "$name" "$suffix" &
  done
  wait
  [[ ! -e $work/failed ]] || exit 1
}

compile_one() {
  local command=$1 file=$2 name=$3 suffix=$4 start=$SECONDS
  if "$command" "$file" "$out/$name.$suffix" 2>"$work/$name.log"; then
    echo "compiled ${file#"$source_dir"/} for $arch in $((SECONDS - start)) s" >&2
  else
    {
      echo "$check: ${file#"$source_dir"/} does not compile for $arch:"
      cat "$work/$name.log"
    } >&2
    touch "$work/failed"
  fi
}
