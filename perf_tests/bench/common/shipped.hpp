// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

namespace heddle::bench {

/// The path of this program.
std::filesystem::path this_program();

/// Where a folder lies that comes with the program, such as "sets": in share/heddle where it is
/// installed, and beside it in a build. It may be gone.
std::filesystem::path shipped_folder(const std::string& name);

}  // namespace heddle::bench
