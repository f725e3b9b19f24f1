// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::bench {

/// Reason that the threads of this process stay unbound, or "" if they may be bound. `threads`:
/// number asked for (0: one for each processor); `processors`: number that the process may use;
/// `asked`: the environment's setting of binding (null: none).
std::string reason_not_to_bind(const char* asked, int threads, int processors);

/// Binds OpenMP's threads, each to its own processor, if the environment does not set a binding.
/// OpenMP reads the environment before main() begins, so this starts the program again, once, in
/// the same process; call it first. Returns one line: how threads are placed, or why they are not
/// bound.
std::string bind_threads(int argc, char** argv);

/// The line that bind_threads() returned; "not asked for" before.
const std::string& placement_of_threads();

}  // namespace heddle::bench
