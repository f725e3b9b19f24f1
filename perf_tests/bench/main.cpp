// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-bench: times Heddle's schemes and those of other libraries, and verifies their results.
#include <Kokkos_Core.hpp>
#include <iostream>
#include <optional>

#include "../../core/error.hpp"
#include "common/bind_threads.hpp"
#include "common/options.hpp"
#include "operation.hpp"

namespace heddle::bench {

namespace {

/// The operations. A new one is a folder and one line here.
std::vector<Operation> operations() {
  return {
      spmv_operation(),       //
      sptrsv_operation(),     //
      ilu_operation(),        //
      gs_operation(),         //
      solve_operation(),      //
      convert_operation(),    //
      multiply_operation(),   //
      multigrid_operation(),  //
      lobpcg_operation(),     //
      sgd_operation(),        //
      features_operation(),   //
      device_operation(),     //
      compare_operation(),    //
      train_operation(),      //
#ifdef HEDDLE_BENCH_STUDIES
      read_operation(),     //
      vectors_operation(),  //
      cliffs_operation(),   //
#endif
  };
}

constexpr const char* exit_codes =
    "exit codes: 0 all well, 1 a result is wrong, 2 bad usage or input, 3 trouble with the "
    "device,\n"
    "            4 compare: something is slower";

constexpr const char* general_help =
    "examples:\n"
    "  heddle-bench list\n"
    "  heddle-bench device\n"
    "  heddle-bench features --generate rmat:16\n"
    "  heddle-bench spmv --generate grid2d:1000\n"
    "  heddle-bench spmv --help\n"
    "  heddle-bench sptrsv --generate grid2d:1000\n"
    "  heddle-bench ilu --generate grid2d:1000\n"
    "  heddle-bench gs --generate grid2d:1000\n"
    "  heddle-bench solve --generate grid2d:300\n"
    "  heddle-bench multiply --generate grid2d:1000\n"
    "  heddle-bench multigrid --generate poisson3d:60\n"
    "  heddle-bench lobpcg --generate poisson3d:60\n"
    "  heddle-bench sgd --ratings 1000000\n"
    "  heddle-bench compare before.json after.json\n"
    "  heddle-bench train --minutes 20\n\n"
    "Options of Kokkos (--kokkos-num-threads=4, ...) are passed on.\n";

void list(const std::vector<Operation>& operations) {
  std::cout << "backend: " << Kokkos::DefaultExecutionSpace::name() << "\n\n";
  for (const Operation& operation : operations) operation.list(std::cout);
  std::cout << matrix_help();
}

int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "heddle: cannot write to standard output; see that there is room for it\n";
  return bad_input;
}

int run(int argc, char** argv) {
  // Kokkos' own options are not passed to CLI11, and --help must work without a device.
  std::vector<char*> ours, kokkos{argv[0]};
  for (int i = 0; i < argc; ++i) {
    const bool is_kokkos = std::string(argv[i]).rfind("--kokkos-", 0) == 0;
    (is_kokkos ? kokkos : ours).push_back(argv[i]);
  }
  CLI::App app{"heddle-bench times sparse kernels on this machine and verifies their results.",
               "heddle-bench"};
  app.require_subcommand(1);
  const std::vector<Operation> all = operations();
  for (const Operation& operation : all) {
    operation.define(*app.add_subcommand(operation.name, operation.description));
  }
  const CLI::App* list_command = app.add_subcommand(
      "list", "What is compiled in: backend, schemes, baselines, scalar types, generators");
  const auto chosen = [&]() -> const Operation* {
    for (const Operation& operation : all) {
      if (app.get_subcommand(operation.name)->parsed()) return &operation;
    }
    return nullptr;
  };
  try {
    app.parse(static_cast<int>(ours.size()), ours.data());
  } catch (const CLI::CallForHelp&) {
    const Operation* operation = chosen();
    std::cout << app.help() << '\n'
              << (operation ? operation->help : general_help) << exit_codes << '\n';
    return finish(all_well);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? all_well : bad_input;
  }
  if (list_command->parsed()) {
    list(all);
    return finish(all_well);
  }

  int kokkos_count = static_cast<int>(kokkos.size());
  std::optional<Kokkos::ScopeGuard> kokkos_is_on;
  if (chosen()->needs_device) kokkos_is_on.emplace(kokkos_count, kokkos.data());
  try {
    return finish(chosen()->run(std::vector<std::string>(argv, argv + argc)));
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return dynamic_cast<const OutOfMemory*>(&error) ? device_trouble : bad_input;
  }
}

}  // namespace

}  // namespace heddle::bench

int main(int argc, char** argv) {
  heddle::bench::bind_threads(argc, argv);
  try {
    return heddle::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "heddle-bench: " << error.what() << '\n';
    return heddle::bench::device_trouble;
  }
}
