// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"

namespace heddle::detail::ordered {

/// Throws Error unless options.threads of a plan is a number of threads, or 0.
inline void check_threads(int threads) {
  if (threads >= 0) return;
  throw Error("options.threads is " + std::to_string(threads),
              "give the number of threads to schedule for, or 0 for those of the execution space");
}

}  // namespace heddle::detail::ordered
