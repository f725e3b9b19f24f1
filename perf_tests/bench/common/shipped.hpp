// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

namespace heddle::bench {

/// The path of this program.
std::filesystem::path this_program();

/// A folder that the program ships, such as "sets": in share/heddle if it is installed, next to the
/// program in a build. It may be missing.
std::filesystem::path shipped_folder(const std::string& name);

}  // namespace heddle::bench
