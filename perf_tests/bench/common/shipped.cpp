// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shipped.hpp"

#include <system_error>

namespace heddle::bench {

namespace fs = std::filesystem;

fs::path this_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

fs::path shipped_folder(const std::string& name) {
  std::error_code ignored;
  const fs::path program = this_program().parent_path();
  const fs::path installed = program / ".." / HEDDLE_BENCH_SHARE / name;
  return fs::is_directory(installed, ignored) ? installed : program / name;
}

}  // namespace heddle::bench
