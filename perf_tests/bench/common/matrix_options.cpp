// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_options.hpp"

#include <CLI/CLI.hpp>

#include "../../../core/error.hpp"
#include "../../../unit_tests/support/generate.hpp"

namespace heddle::bench {

void MatrixOptions::define(CLI::App& app) {
  app.add_option("--matrix", files,
                 "Matrix files: Matrix Market (.mtx, also .gz and .xz) or PETSc binary")
      ->type_name("FILE");
  app.add_option("--generate", generated, "Generated matrices; see below")->type_name("KIND:ARGS");
  app.add_option("--seed", seed, "Of generated matrices, vectors and values that a file lacks")
      ->capture_default_str();
}

std::vector<Source> MatrixOptions::sources() const {
  std::vector<Source> all;
  for (const auto& text : files) all.push_back({text, false});
  for (const auto& text : generated) all.push_back({text, true});
  if (all.empty()) {
    throw Error("no matrix to run", "give --matrix FILE or --generate KIND:ARGS");
  }
  return all;
}

std::string generator_help() {
  std::string text = "generators:\n";
  for (const auto& g : test::generators()) {
    std::string left = "  " + g.name + ":" + g.arguments;
    left.resize(std::max<std::size_t>(left.size() + 1, 34), ' ');
    text += left + g.description + "\n";
  }
  return text;
}

}  // namespace heddle::bench
