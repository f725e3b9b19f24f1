# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced: what git knows of the tree. Inside dev/sandbox git may not work (in a worktree the repository lies elsewhere),
# so dev/sandbox asks outside and passes the answers on.

# The commit that is checked out, and its first parent: read from the commit itself, so that a shallow clone will do.
# Nothing without git, or where the repository is another's that holds this tree.
commit_facts() {
  [[ -z ${HEDDLE_COMMIT+set} ]] || return 0
  local facts=""
  if [[ -z $(git rev-parse --show-cdup 2>/dev/null || echo none) ]]; then
    facts=$(git rev-parse HEAD; git cat-file -p HEAD | awk '/^$/ {exit} $1 == "parent" {print $2; exit}')
  fi 2>/dev/null
  read -r -d '' HEDDLE_COMMIT HEDDLE_PARENT <<<"$facts" || true
  export HEDDLE_COMMIT HEDDLE_PARENT
}

# turn N [DIVISOR]: which of N things that take turns it is. By the parent, so that amending a commit draws nothing anew;
# the first without git. Turns of different divisors change by themselves.
turn() {
  commit_facts
  echo $((0x0${HEDDLE_PARENT:0:8} / ${2:-1} % $1))
}

# What is drawn at random in tests is drawn from this, which is also the parent's.
seed() {
  commit_facts
  [[ -n $HEDDLE_PARENT ]] && echo $((16#${HEDDLE_PARENT:0:8})) || echo 1
}
