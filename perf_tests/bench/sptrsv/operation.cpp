// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include <memory>

#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, SptrsvRequest& r) {
  app.add_option("--triangle", r.triangle_name, "Of the matrix: lower or upper")
      ->check(CLI::IsMember({"lower", "upper"}))
      ->capture_default_str();
  app.add_option("--diagonal", r.diagonal_name,
                 "stored, or unit: ones, whatever is stored. What is missing of a stored one, or "
                 "zero, is set to 1 + the magnitudes of its row")
      ->check(CLI::IsMember({"stored", "unit"}))
      ->capture_default_str();
  app.add_option("--op", r.op_name, "Of the triangle: none, transpose or conjugate-transpose")
      ->check(CLI::IsMember({"none", "transpose", "conjugate-transpose"}))
      ->capture_default_str();
  r.define_contest(
      app,
      "Schemes, or \"auto\" (what a plan takes by itself), or \"all\" (the candidates: "
      "at most 60), or \"search\" (walks from the best of those)",
      "b and x");
  app.add_option("--search-seconds", r.search_seconds,
                 "What a search may take of each matrix; it ends where nothing improves")
      ->check(CLI::Validator(check_seconds, "SECONDS"))
      ->capture_default_str();
  r.define(app);
}

int run(const SptrsvRequest& request, const std::vector<std::string>& words) {
  Json settings;
  settings["triangle"] = request.triangle_name;
  settings["diagonal"] = request.diagonal_name;
  settings["op"] = request.op_name;
  if (request.searches()) settings["search_seconds"] = request.search_seconds;
  return run_contest("sptrsv", request, settings, print_solves, words);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench sptrsv --generate grid2d:1000 rmat:18\n"
    "  heddle-bench sptrsv --matrix LU.mtx.xz --diagonal unit --scheme auto --baseline cusparse\n"
    "  heddle-bench sptrsv --matrix LU.mtx --scheme auto search --search-seconds 60\n"
    "  heddle-bench sptrsv --matrix LU.mtx --triangle upper --op transpose --json out.json\n\n";

}  // namespace

Operation sptrsv_operation() {
  const auto request = std::make_shared<SptrsvRequest>();
  Operation operation;
  operation.name = "sptrsv";
  operation.description =
      "op(T) x = alpha b, T a triangle: every scheme of Heddle beside every baseline";
  operation.define = [request](CLI::App& app) { define(app, *request); };
  operation.run = [request](const std::vector<std::string>& words) { return run(*request, words); };
  operation.help = generator_help() + "\n" + solves_help() + examples;
  operation.list = [](std::ostream& out) {
    list_schemes_and_baselines<SptrsvRequest>(out, "sptrsv");
  };
  return operation;
}

}  // namespace heddle::bench
