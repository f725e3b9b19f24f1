// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// file_speed FILE [THREADS] [REPETITIONS]: how fast a matrix file is read, in MB of its text a
// second.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "../core/files/read_matrix.hpp"

namespace {

/// The shortest of several runs, by the clock and by what the cores worked, which other work on the
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

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE [THREADS, default 1] [REPETITIONS, default 5]\n", argv[0]);
    return 2;
  }
  Kokkos::ScopeGuard kokkos;
  const std::string path = argv[1];
  const int threads = heddle::files::thread_count(argc > 2 ? std::atoi(argv[2]) : 1);
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 5;
  try {
    const heddle::files::Bytes bytes = heddle::files::load(path, {.threads = threads});
    const double mbytes = 1e-6 * static_cast<double>(bytes.size());
    std::printf("%s: %.1f MB of content, %d thread(s), best of %d\n", path.c_str(), mbytes, threads,
                repetitions);
    Best parse, read;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      parse.measure(
          [&] { heddle::parse_matrix<double>(bytes.view(), path, {.threads = threads}); });
      read.measure([&] { heddle::read_matrix<double>(path, {.threads = threads}); });
    }
    parse.print("memory to CSR", mbytes);
    read.print("file to CSR", mbytes);
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
