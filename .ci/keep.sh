# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by .ci/run: which steps have passed as they are now. A step's key is the hash of all that it sees, and where the
# key is kept, in a file beside ccache, it has passed. Without git, and where files differ from the commit, there is no key.
source dev/commit.sh

# All steps see these.
always_seen=(.ci .clang-format cmake dev)

kept_steps() { echo "$(dev/sandbox --where)/kept/steps"; }

# The file where the nightly's results stand is written by those who run it, and no step reads it.
unread=dev/nightly.csv

is_clean() {
  commit_facts
  [[ -n $HEDDLE_COMMIT && -z $(git status --porcelain -- . ":!$unread") ]]
}

declare -A unpacked=()  # by layers
# key NAME LAYERS SEEN...: sets key to the hash of the trees that a step sees, its packages and what the environment says
key() {
  local name=$1 layers=$2
  shift 2
  key=""
  [[ -n ${unpacked[-$layers]:-} ]] || unpacked[-$layers]=$(dev/sandbox ${layers:+--with "$layers"} --unpacked) || return
  key=$({
    echo "$name $layers"
    git ls-tree -r HEAD -- "${always_seen[@]}" "$@" | grep -v "	$unread\$"
    echo "${unpacked[-$layers]}"
    env | grep -E '^(HEDDLE|OMP|KOKKOS|CTEST|CMAKE|CXX)' | grep -vE '^HEDDLE_(COMMIT|COMMIT_TIME|PARENT|SEED|SEES|SANDBOX)=' | sort
    uname -m
  } | sha256sum | cut -c1-32)
}
