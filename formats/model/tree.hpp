// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <vector>

namespace heddle {

/// One node of a decision tree. A leaf has input -1, and its value.
struct ModelNode {
  int input = -1;
  double value = 0;  ///< an input that is at most this goes left
  int left = 0, right = 0;
};
using ModelTree = std::vector<ModelNode>;

namespace detail {

/// The value of the leaf that `inputs` lead to from the first node of a tree.
KOKKOS_INLINE_FUNCTION double leaf_value(const ModelNode* tree, const double* inputs) {
  int at = 0;
  while (tree[at].input >= 0) {
    at = inputs[tree[at].input] <= tree[at].value ? tree[at].left : tree[at].right;
  }
  return tree[at].value;
}

}  // namespace detail

}  // namespace heddle
