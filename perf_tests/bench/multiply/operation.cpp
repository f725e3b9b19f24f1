// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include "../common/run_contest.hpp"
#include "request.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, MultiplyRequest& r) {
  app.add_option("--product", r.product,
                 "aa: A A. ap: A P, where P is a smoothed prolongation. rap: R A P, R = P'")
      ->check(CLI::IsMember({"aa", "ap", "rap"}))
      ->capture_default_str();
  app.add_option("--most-products", r.most_products,
                 "Matrices that take more multiplications are left out")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  r.define_contest(app, "\"auto\": a plan has one way to multiply");
  r.define(app);
}

int run(const MultiplyRequest& request, const std::vector<std::string>& words) {
  for (const std::string& scheme : request.schemes) {
    if (scheme != "auto" && scheme != "all") {
      throw Error("no scheme \"" + scheme + "\" of products of matrices", "there is auto");
    }
  }
  Json settings;
  settings["product"] = request.product;
  return run_contest("multiply", request, settings, print_products, words);
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench multiply --generate grid2d:1000\n"
    "  heddle-bench multiply --generate grid3d:100 --product rap\n"
    "  heddle-bench multiply --set real-judge --folder DIR --json out.json\n\n";

}  // namespace

Operation multiply_operation() {
  return contest_operation<MultiplyRequest>(
      "multiply", "Products of matrices, symbolic and numeric, beside other libraries", define, run,
      products_help() + examples,
      [](std::ostream& out) { list_baselines<MultiplyRequest>(out, "multiply"); });
}

}  // namespace heddle::bench
