# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced: what git knows of the tree. Inside dev/sandbox git may not work (in a worktree the repository lies elsewhere),
# so dev/sandbox asks outside and passes the answers on.

# The commit that is checked out, its first parent, read from the commit itself, so that a shallow clone will do, and when
# it was written: amending changes neither of the two. Nothing without git, or where the repository is another's that holds
# this tree.
commit_facts() {
  [[ -z ${HEDDLE_COMMIT+set} ]] || return 0
  HEDDLE_COMMIT="" HEDDLE_PARENT="" HEDDLE_COMMIT_TIME=0
  export HEDDLE_COMMIT HEDDLE_PARENT HEDDLE_COMMIT_TIME
  local text
  [[ -z $(git rev-parse --show-cdup 2>/dev/null || echo none) ]] && text=$(git cat-file -p HEAD 2>/dev/null) || return 0
  HEDDLE_COMMIT=$(git rev-parse HEAD)
  HEDDLE_PARENT=$(awk '/^$/ {exit} $1 == "parent" {print $2; exit}' <<<"$text")
  HEDDLE_COMMIT_TIME=$(sed -nE '/^$/q; s/^author .*> ([0-9]+) .*/\1/p' <<<"$text")
}

# turn N [DIVISOR]: which of N things that take turns a commit has; the first without git. Turns of different divisors
# change by themselves.
turn() {
  commit_facts
  echo $((0x0${HEDDLE_PARENT:0:8} / ${2:-1} % $1))
}

# turn_to_compile N [DIVISOR]: the same, of what compiles other objects: four turns a day, so that through some hours' work
# ccache has the objects.
turn_to_compile() {
  commit_facts
  echo $((HEDDLE_COMMIT_TIME / 21600 / ${2:-1} % $1))
}

# What is drawn at random in tests is drawn from this, which is also the parent's.
seed() {
  commit_facts
  [[ -n $HEDDLE_PARENT ]] && echo $((16#${HEDDLE_PARENT:0:8})) || echo 1
}
