// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/run_contest.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

void define(Settings& settings, MultiplyRequest& r) {
  settings
      .option(
          "product", r.product,
          "aa: A A. ap: A P, where P is a smoothed prolongation. rap: R A P, R = P'. A is sorted, "
          "and repeated entries are added up, first")
      ->check(CLI::IsMember({"aa", "ap", "rap"}));
  settings.app()
      .add_option("--most-products", r.most_products,
                  "Matrices that take more multiplications are left out")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  r.define_contest(settings.app(), "\"auto\": a plan has one way to multiply");
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const MultiplyRequest& request) {
  const RowFeatures& f = result.rows;
  out << '\n'
      << result.name << ": " << request.product << ", A " << f.rows << " x " << f.columns
      << " with " << f.nonzeros << " entries\n  " << result.choice_reason << "\n\n";
  const auto peer = [&](const char* head, double (*seconds)(const ContestantResult&)) {
    const auto best = fastest(result, [](const auto& c) { return !c.is_scheme; }, seconds);
    return peer_column([=](const auto& c) { return c.is_scheme ? best : nullptr; }, seconds, head);
  };
  Column symbolic = setup_column();
  symbolic.head = "symbolic";
  print_rows(out, result,
             {symbolic,
              time_column("numeric"),
              spread_column(),
              {"once", 11, [](const ContestantResult& c) { return duration(once(c)); }},
              known_bytes_column(),
              peer("numeric", time_of),
              peer("once", once)});
}

void prepare(MultiplyRequest& request) {
  for (const std::string& scheme : request.schemes) {
    if (scheme == "auto" || scheme == "all") continue;
    throw Error("\"" + scheme + "\" is no scheme of products of matrices", "use auto");
  }
}

constexpr const char* help =
    "columns of the table:\n"
    "  symbolic  median of the repeated setups: all but values\n"
    "  numeric   the values of the product, for patterns that stay\n"
    "  spread    the range of the middle half of these times over their median\n"
    "  once      symbolic and numeric\n"
    "  kept      memory kept, the product included\n"
    "  numeric, once  time of the fastest baseline over this time: above 1 is faster\n"
    "\nexamples:\n"
    "  heddle-bench multiply --generate grid2d:1000\n"
    "  heddle-bench multiply --generate grid3d:100 --product rap\n"
    "  heddle-bench multiply --set real-judge --folder DIR --json out.json\n\n";

}  // namespace

Operation multiply_operation() {
  return operation_of<MultiplyRequest>(
      {"multiply", "Products of matrices, symbolic and numeric, beside other libraries", define,
       print, help, prepare});
}

}  // namespace heddle::bench
