// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choice_options.hpp"

#include <CLI/CLI.hpp>

namespace heddle::bench {

void ChoiceOptions::define_choice(CLI::App& app, const std::string& about_model,
                                  const std::string& about_measure) {
  app.add_option("--model", model_path, about_model)->envname("HEDDLE_MODEL");
  app.add_option("--measure", measure_seconds, about_measure)->check(CLI::NonNegativeNumber);
  app.add_option("--cache", cache, "File that keeps the results of --measure")
      ->envname("HEDDLE_CACHE");
  app.add_flag("--explain", explain, "Print why \"auto\" selects its scheme");
}

}  // namespace heddle::bench
