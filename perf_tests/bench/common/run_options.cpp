// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

namespace heddle::bench {

std::string check_seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0';
  return number && std::isfinite(value) && value > 0
             ? ""
             : "\"" + text + "\" is no number of seconds above 0";
}

void RunOptions::define(CLI::App& app) {
  matrices.define(app);
  app.add_option("--repeat", repetitions, "Maximal number of repetitions; the median is reported")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--precision", precision,
                 "Repeat until the median has this relative precision with 95 % confidence")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option(
         "--budget", budget_seconds,
         "Seconds after which a contestant is not repeated further (at least 10 repetitions)")
      ->check(CLI::Validator(check_seconds, "SECONDS"))
      ->capture_default_str();
  app.add_flag("--flush", flush, "Overwrite the caches before every repetition");
  app.add_flag("--no-verify", no_verify, "Do not check the results");
  app.add_option("--json", json_path, "Also write the results here")->type_name("FILE");
  app.add_option("--csv", csv_path, "Also write the results here, one line for each contestant")
      ->type_name("FILE");
  app.add_option("--commit", commit, "Commit to name in the results")->type_name("HASH");
}

}  // namespace heddle::bench
