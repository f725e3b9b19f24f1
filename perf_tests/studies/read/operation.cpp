// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../bench/operation.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <limits>
#include <memory>

#include "../../../core/files/read_matrix.hpp"

namespace heddle::bench {

namespace {

struct Request {
  std::vector<std::string> paths;
  int threads = 1;
  int repetitions = 5;
};

/// The shortest of several runs, by the clock and by the time of the cores, which other load of the
/// machine disturbs less.
struct Best {
  double wall_seconds = std::numeric_limits<double>::max();
  double core_seconds = std::numeric_limits<double>::max();

  template <class Work>
  void measure(const Work& work) {
    const std::clock_t core_start = std::clock();
    Kokkos::Timer timer;
    work();
    wall_seconds = std::min(wall_seconds, timer.seconds());
    core_seconds =
        std::min(core_seconds, static_cast<double>(std::clock() - core_start) / CLOCKS_PER_SEC);
  }

  void print(const char* what, double mbytes) const {
    std::printf("  %-14s %7.3f s %8.0f MB/s   %7.3f core seconds %8.0f MB/s a core\n", what,
                wall_seconds, mbytes / wall_seconds, core_seconds, mbytes / core_seconds);
  }
};

void measure(const std::string& path, int threads, int repetitions) {
  const files::Bytes bytes = files::load(path, {.threads = threads});
  const double mbytes = 1e-6 * static_cast<double>(bytes.size());
  std::printf("%s: %.1f MB of content, %d thread(s), best of %d\n", path.c_str(), mbytes, threads,
              repetitions);
  Best parse, read;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    parse.measure([&] { parse_matrix<double>(bytes.view(), path, {.threads = threads}); });
    read.measure([&] { read_matrix<double>(path, {.threads = threads}); });
  }
  parse.print("memory to CSR", mbytes);
  read.print("file to CSR", mbytes);
}

}  // namespace

Operation read_operation() {
  const auto request = std::make_shared<Request>();
  Operation operation;
  operation.name = "read";
  operation.description = "How fast matrix files are read, in MB of their content a second";
  operation.needs_device = true;  // the host's threads are Kokkos'
  operation.define = [request](CLI::App& app) {
    app.add_option("files", request->paths, "Matrix Market or PETSc binary")->required();
    app.add_option("--threads", request->threads, "Threads that read; 0: all")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    app.add_option("--repeat", request->repetitions, "Repetitions; the fastest counts")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
  };
  operation.run = [request](const std::vector<std::string>&) -> int {
    int code = all_well;
    for (const std::string& path : request->paths) {
      try {
        measure(path, files::thread_count(request->threads), request->repetitions);
      } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        code = bad_input;
      }
    }
    return code;
  };
  return operation;
}

}  // namespace heddle::bench
