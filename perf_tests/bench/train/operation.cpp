// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "../../../core/error.hpp"
#include "../common/matrix_set.hpp"

namespace heddle::bench {

namespace {

/// Replaces this process by the script that trains, which runs this program for every matrix.
int run(const std::vector<std::string>& words) {
  const auto script = shipped_folder("model") / "gather.py";
  std::vector<std::string> command{"python3", script.string(), "--bench", this_program().string()};
  const auto name = std::find(words.begin(), words.end(), "train");
  if (name != words.end()) command.insert(command.end(), name + 1, words.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::cout.flush();
  ::execvp(arguments.front(), arguments.data());
  throw Error(std::string("python3 cannot run: ") + std::strerror(errno), "install Python 3");
}

}  // namespace

Operation train_operation() {
  const auto define = [](CLI::App& app) {
    app.set_help_flag();  // the script has its own, and all other options
    app.prefix_command();
  };
  return {
      .name = "train",
      .description =
          "Measure matrices for some minutes, and learn from them how to choose on this machine",
      .define = define,
      .needs_device = false,
      .run = run};
}

}  // namespace heddle::bench
