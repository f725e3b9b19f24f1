// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-bench: times Heddle's schemes beside other libraries, and verifies what they compute.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <heddle/core/error.hpp>
#include <iostream>
#include <optional>
#include <set>

#include "generate.hpp"
#include "instance.hpp"
#include "json.hpp"
#include "table.hpp"

namespace heddle::bench {

namespace {

enum ExitCode { all_well = 0, wrong_result = 1, bad_input = 2, device_trouble = 3 };

constexpr const char* exit_codes =
    "exit codes: 0 all well, 1 a result is wrong, 2 bad usage or input, 3 trouble with the device";

struct Command {
  CLI::App app{"heddle-bench times sparse kernels on this machine and verifies their results.",
               "heddle-bench"};
  CLI::App* spmv = nullptr;
  CLI::App* device = nullptr;
  CLI::App* list = nullptr;
  SpmvRequest request;
  std::vector<std::string> files, generated;
  std::string json_path, commit;
  bool no_verify = false;
};

std::string generator_help() {
  std::string text = "generators:\n";
  for (const auto& g : generators()) {
    std::string left = "  " + g.name + ":" + g.arguments;
    left.resize(std::max<std::size_t>(left.size() + 1, 34), ' ');
    text += left + g.description + "\n";
  }
  return text;
}

void define_spmv(Command& command) {
  CLI::App& spmv = *command.app.add_subcommand(
      "spmv", "y = alpha A x + beta y: every scheme of Heddle beside every baseline");
  command.spmv = &spmv;
  SpmvRequest& r = command.request;
  spmv.add_option("--matrix", command.files,
                  "Matrix files: Matrix Market (.mtx, also .gz and .xz) or PETSc binary")
      ->type_name("FILE");
  spmv.add_option("--generate", command.generated, "Generated matrices; see below")
      ->type_name("KIND:ARGS");
  spmv.add_option("--scheme", r.schemes, "Schemes, or \"auto\" (what choose takes), or \"all\"")
      ->type_name("SCHEME")
      ->capture_default_str();
  spmv.add_option("--baseline", r.baselines,
                  "Libraries to compare with, by name or family (kk, cusparse, ...), or \"all\" or "
                  "\"none\"")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->capture_default_str();
  spmv.add_option("--columns", r.columns, "Columns of x and y")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  spmv.add_option("--layout", r.layout,
                  "Of several columns: left (a column's entries side by side) or right (a row's)")
      ->check(CLI::IsMember({"left", "right"}))
      ->capture_default_str();
  spmv.add_option("--scalar", r.scalar, "float, double, cfloat or cdouble")->capture_default_str();
  spmv.add_option("--offset", r.offset_bits, "Bits of a row pointer's entry: 32 or 64")
      ->capture_default_str();
  spmv.add_option("--repeat", r.repetitions, "Repetitions; the median counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  spmv.add_option("--budget", r.budget_seconds,
                  "Seconds after which one contestant is repeated no further (but 5 times)")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  spmv.add_option("--expected-applies", r.expected_applies,
                  "How often a plan will be applied, for choose")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  spmv.add_flag("--flush", r.flush, "Overwrite the caches before every repetition");
  spmv.add_flag("--no-verify", command.no_verify, "Do not check the results");
  spmv.add_option("--seed", r.seed, "Of generated matrices, vectors and values that a file lacks")
      ->capture_default_str();
  spmv.add_option("--json", command.json_path, "Also write the results here")->type_name("FILE");
  spmv.add_option("--commit", command.commit, "Commit to name in the results")->type_name("HASH");
}

/// Printed behind what CLI11 says, which would break its lines anew.
std::string spmv_help() {
  return generator_help() +
         "\ncolumns of the table:\n"
         "  setup    median of the repeated setups (the first, which loads kernels, is in the "
         "JSON)\n"
         "  applies  the setup in applies of the same contestant\n"
         "  time     one apply, nothing queued before; by events of the device where it has them\n"
         "  queued   one of ten applies behind each other\n"
         "  latency  from the call to the end of the fence behind it, by the host's clock\n"
         "  GB/s     CSR's minimum of bytes (values, column indices, row pointer, x and y once)\n"
         "           over the time, whatever the contestant really moves\n"
         "  triad    that rate as a share of the measured STREAM triad\n"
         "  vs peer  time of the fastest baseline over this time: above 1 is faster\n"
         "\nexamples:\n"
         "  heddle-bench spmv --generate grid2d:1000 rmat:18\n"
         "  heddle-bench spmv --matrix A.mtx.xz --scheme auto csr/merge --baseline cusparse\n"
         "  heddle-bench spmv --matrix A.mtx B.mtx --columns 8 --scalar float --json out.json\n\n" +
         exit_codes + "\n";
}

std::string general_help() {
  return std::string(
             "examples:\n"
             "  heddle-bench list\n"
             "  heddle-bench device\n"
             "  heddle-bench spmv --generate grid2d:1000\n"
             "  heddle-bench spmv --help\n\n"
             "Options of Kokkos (--kokkos-num-threads=4, ...) are passed on.\n") +
         exit_codes + "\n";
}

void define(Command& command) {
  command.app.require_subcommand(1);
  define_spmv(command);
  command.device = command.app.add_subcommand(
      "device", "Measured bandwidth (copy, STREAM triad) and launch latency of this machine");
  command.list = command.app.add_subcommand(
      "list", "What is compiled in: backend, schemes, baselines, scalar types, generators");
}

const Instance& find_instance(const SpmvRequest& request) {
  std::string known;
  for (const Instance& instance : instances()) {
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

void check_baselines(const SpmvRequest& request, const Instance& instance) {
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

int run_spmv(Command& command, const std::vector<std::string>& words) {
  SpmvRequest& request = command.request;
  request.verify = !command.no_verify;
  for (const auto& text : command.files) request.sources.push_back({text, false});
  for (const auto& text : command.generated) request.sources.push_back({text, true});
  if (request.sources.empty()) {
    throw Error("no matrix to run", "give --matrix FILE or --generate KIND:ARGS");
  }
  const Instance& instance = find_instance(request);
  check_baselines(request, instance);

  Progress progress;
  const Machine machine = describe_machine(command.commit);
  // Not before a matrix has run: it takes seconds, and a mistake in the request is told at once.
  std::optional<DeviceFigures> measured;
  const auto figures = [&]() -> const DeviceFigures& {
    if (!measured) {
      progress.task("measuring this machine");
      measured = measure_device({});
      progress.clear();
      print_machine(std::cout, machine, *measured);
    }
    return *measured;
  };

  int code = all_well;
  std::vector<MatrixResult> results;
  for (const Source& source : request.sources) {
    try {
      MatrixResult result = instance.run(request, source, progress);
      progress.clear();
      print_table(std::cout, result, figures(), request);
      for (const auto& c : result.contestants) {
        if (c.verdict == Verdict::wrong && code == all_well) code = wrong_result;
      }
      results.push_back(std::move(result));
    } catch (const Error& error) {
      progress.clear();
      std::cerr << error.what() << '\n';
      code = bad_input;
    }
    if (!command.json_path.empty()) {
      replace_file(command.json_path, to_json(machine, figures(), request, words, results));
    }
  }
  return code;
}

int run_device() {
  print_machine(std::cout, describe_machine(""), measure_device({}));
  return all_well;
}

int run_list() {
  std::cout << "backend: " << Kokkos::DefaultExecutionSpace::name() << "\n\nschemes:\n";
  if (!instances().empty()) {
    for (const auto& name : instances().front().scheme_names()) std::cout << "  " << name << '\n';
  }
  std::cout << "\nbaselines:\n";
  std::set<std::string> seen;
  for (const Instance& instance : instances()) {
    for (const auto& [name, description] : instance.baseline_names()) {
      if (!seen.insert(name).second) continue;
      std::cout << "  " << name << std::string(name.size() < 20 ? 20 - name.size() : 1, ' ')
                << description << '\n';
    }
  }
  if (seen.empty()) std::cout << "  none\n";
  std::cout << "\nscalar types / bits of an offset:\n ";
  for (const Instance& i : instances()) std::cout << ' ' << i.scalar << '/' << i.offset_bits;
  std::cout << "\n\n" << generator_help();
  return all_well;
}

int run(int argc, char** argv) {
  // Kokkos' own options are not CLI11's business, and --help must work without a device.
  std::vector<char*> ours, kokkos{argv[0]};
  for (int i = 0; i < argc; ++i) {
    const bool is_kokkos = std::string(argv[i]).rfind("--kokkos-", 0) == 0;
    (is_kokkos ? kokkos : ours).push_back(argv[i]);
  }
  Command command;
  define(command);
  try {
    command.app.parse(static_cast<int>(ours.size()), ours.data());
  } catch (const CLI::CallForHelp&) {
    std::cout << command.app.help() << '\n'
              << (command.spmv->parsed() ? spmv_help() : general_help());
    return all_well;
  } catch (const CLI::ParseError& error) {
    return command.app.exit(error) == 0 ? all_well : bad_input;
  }
  if (command.list->parsed()) return run_list();

  int kokkos_count = static_cast<int>(kokkos.size());
  const Kokkos::ScopeGuard kokkos_is_on(kokkos_count, kokkos.data());
  try {
    if (command.device->parsed()) return run_device();
    return run_spmv(command, std::vector<std::string>(argv, argv + argc));
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return bad_input;
  }
}

}  // namespace

}  // namespace heddle::bench

int main(int argc, char** argv) {
  try {
    return heddle::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "heddle-bench: " << error.what() << '\n';
    return heddle::bench::device_trouble;
  }
}
