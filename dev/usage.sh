# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the commands of dev/: what --help prints. A part of dev/COMMAND is a program of the folder dev/parts/COMMAND.
parts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/parts/${0##*/}

# How this command is called: dev/test races, of dev/parts/test/races.
this=dev/${0##*/}
[[ $0 != */parts/*/* ]] || this="dev/$(basename "$(dirname "$0")") ${0##*/}"

head_of() {  # FILE: the comment at its head, or of Python its docstring
  awk 'NR < 3 {next}
    NR == 3 && sub(/^"""/, "") {docstring = 1}
    docstring {end = sub(/"""$/, ""); print; if (end) exit; next}
    sub(/^# ?/, "") {print; next}
    {exit}' "$1"
}

is_part() { [[ -f $parts/$1 && -x $parts/$1 ]]; }

run_part() {  # PART ARGUMENTS...
  [[ ${2:-} != --help ]] || { head_of "$parts/$1"; exit; }
  exec "$parts/$1" "${@:2}"
}

usage() {
  local part
  head_of "$0"
  for part in "$parts"/*; do
    ! is_part "${part##*/}" || printf '  %-10s %s\n' "${part##*/}" "$(head_of "$part" | head -n 1)"
  done
}

[[ ${1:-} != --help ]] || { usage; exit; }
