// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// The order of the loop that is to be run in parallel.
enum class Sweep {
  forward,   ///< i = 0, 1, ..., n - 1: lower triangles, ILU, the first half of SSOR
  backward,  ///< i = n - 1, ..., 1, 0: upper triangles, the second half of SSOR
};

/// What an iteration means that reads an item which the loop writes later.
enum class ReadsAhead {
  error,      ///< nothing: an Error names the iteration
  old_value,  ///< it reads what stood there before the loop, so the later one waits for it:
              ///< Gauss-Seidel
};

}  // namespace heddle
