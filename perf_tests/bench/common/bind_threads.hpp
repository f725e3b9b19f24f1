// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::bench {

/// Why the threads of this process stay unbound, or "" where they may be bound: `threads` is how
/// many are asked for (0: as many as there are processors), `processors` how many it may use, and
/// `asked` what the environment says of binding (null: nothing).
std::string reason_not_to_bind(const char* asked, int threads, int processors);

/// Binds OpenMP's threads, each to a processor of its own, where the environment says nothing of
/// it. OpenMP reads the environment before main() begins, so this starts the program again, once,
/// in the same process; call it first. Returns how threads are placed, or why they are not bound,
/// in one line.
std::string bind_threads(int argc, char** argv);

/// What that returned; "not asked for" before.
const std::string& placement_of_threads();

}  // namespace heddle::bench
