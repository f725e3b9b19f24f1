// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.hpp"

#include <memory>
#include <set>

#include "../../../core/error.hpp"
#include "../common/run_matrices.hpp"
#include "../common/table.hpp"
#include "instance.hpp"

namespace heddle::bench {

namespace {

void define(CLI::App& app, SpmvRequest& r) {
  app.add_option(
         "--scheme", r.schemes,
         "Schemes, or \"auto\" (what choose takes), \"all\" (candidates for the matrix), or "
         "\"every\" (each value of each parameter)")
      ->type_name("SCHEME")
      ->capture_default_str();
  app.add_option("--baseline", r.baselines,
                 "Libraries to compare with, by name or family (kk, cusparse, ...), or \"all\" or "
                 "\"none\"")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--columns", r.columns, "Columns of x and y")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--layout", r.layout,
                 "Of several columns: left (a column's entries side by side) or right (a row's)")
      ->check(CLI::IsMember({"left", "right"}))
      ->capture_default_str();
  app.add_option("--scalar", r.scalar, "float, double, cfloat or cdouble")->capture_default_str();
  app.add_option("--offset", r.offset_bits, "Bits of a row pointer's entry: 32 or 64")
      ->capture_default_str();
  app.add_option("--expected-applies", r.expected_applies,
                 "How often a plan will be applied, for choose")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  r.define(app);
}

const SpmvInstance& find_instance(const SpmvRequest& request) {
  std::string known;
  for (const SpmvInstance& instance : spmv_instances()) {
    if (instance.scalar == request.scalar && instance.offset_bits == request.offset_bits) {
      return instance;
    }
    known +=
        (known.empty() ? "" : ", ") + instance.scalar + "/" + std::to_string(instance.offset_bits);
  }
  throw Error(
      "no scalar " + request.scalar + " with offsets of " + std::to_string(request.offset_bits) +
          " bits in this build",
      "there are " + known + "; more with -DHEDDLE_BENCH_SCALARS and -DHEDDLE_BENCH_OFFSETS");
}

void check_baselines(const SpmvRequest& request, const SpmvInstance& instance) {
  for (const std::string& word : request.baselines) {
    bool known = word == "all" || word == "none";
    std::string names = "all, none";
    for (const auto& [name, description] : instance.baseline_names()) {
      known = known || word == name || word == name.substr(0, name.find('-'));
      names += ", " + name;
    }
    if (!known) throw Error("no baseline \"" + word + "\" in this build", "there are " + names);
  }
}

void print_result(std::ostream& out, const MatrixResult& result, const DeviceFigures& figures,
                  const SpmvRequest& request) {
  const RowFeatures& f = result.rows;
  out << '\n'
      << result.name << ": " << f.rows << " x " << f.columns << ", " << f.nonzeros
      << " nonzeros, row mean " << format("%.2f", f.mean_row()) << " max " << f.longest_row << ", "
      << bytes(result.csr_bytes) << " of CSR, " << bytes(result.apply_bytes) << " an apply";
  if (request.columns > 1) {
    out << ", " << request.columns << " columns, layout " << request.layout;
  }
  out << "\n\n";
  print_contestants(out, result, figures);
}

int run(const SpmvRequest& request, const std::vector<std::string>& words) {
  const SpmvInstance& instance = find_instance(request);
  check_baselines(request, instance);
  MatrixRun run;
  run.operation = "spmv";
  run.run = [&](const Source& source, Progress& progress) {
    return instance.run(request, source, progress);
  };
  run.print = [&](std::ostream& out, const MatrixResult& result, const DeviceFigures& figures) {
    print_result(out, result, figures, request);
  };
  run.settings = {{"scalar", request.scalar},
                  {"offset_bits", request.offset_bits},
                  {"columns", request.columns},
                  {"layout", request.layout},
                  {"expected_applies", request.expected_applies}};
  return run_matrices(run, request, words);
}

void list(std::ostream& out) {
  out << "schemes of spmv:\n";
  if (!spmv_instances().empty()) {
    for (const auto& name : spmv_instances().front().scheme_names()) out << "  " << name << '\n';
  }
  out << "\nbaselines of spmv:\n";
  std::set<std::string> seen;
  for (const SpmvInstance& instance : spmv_instances()) {
    for (const auto& [name, description] : instance.baseline_names()) {
      if (!seen.insert(name).second) continue;
      out << "  " << name << std::string(name.size() < 20 ? 20 - name.size() : 1, ' ')
          << description << '\n';
    }
  }
  if (seen.empty()) out << "  none\n";
  out << "\nscalar types / bits of an offset:\n ";
  for (const SpmvInstance& i : spmv_instances()) out << ' ' << i.scalar << '/' << i.offset_bits;
  out << "\n\n";
}

constexpr const char* examples =
    "\nexamples:\n"
    "  heddle-bench spmv --generate grid2d:1000 rmat:18\n"
    "  heddle-bench spmv --matrix A.mtx.xz --scheme auto csr/merge --baseline cusparse\n"
    "  heddle-bench spmv --matrix A.mtx B.mtx --columns 8 --scalar float --json out.json\n\n";

}  // namespace

Operation spmv_operation() {
  const auto request = std::make_shared<SpmvRequest>();
  Operation operation;
  operation.name = "spmv";
  operation.description = "y = alpha A x + beta y: every scheme of Heddle beside every baseline";
  operation.define = [request](CLI::App& app) { define(app, *request); };
  operation.run = [request](const std::vector<std::string>& words) { return run(*request, words); };
  operation.help = generator_help() + "\n" + table_help() + examples;
  operation.list = list;
  return operation;
}

}  // namespace heddle::bench
