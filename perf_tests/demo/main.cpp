// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A demonstration of Heddle in one screen: dev/sandbox dev/demo.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "../../backends/device.hpp"
#include "../../backends/host/device.hpp"
#include "../bench/common/bind_threads.hpp"
#include "measure.hpp"
#include "sections.hpp"
#include "ten_lines.hpp"

namespace {

constexpr double busy_limit = 0.05;

void say_if_busy() {
  const double share = demo::used_by_others();
  if (share <= busy_limit) return;
  std::printf(
      "Other programs use %.0f %% of this machine's processors: times below are not those of "
      "an idle one.\n\n",
      100 * share);
}

/// Bytes of arrays beyond the cache: four times its size, but from 200 MB to 1 GB, since some
/// caches are shared with other machines.
double bytes_beyond_cache(double cache_bytes) {
  return std::min(std::max(4 * cache_bytes, 200e6), 1e9);
}

bool show(const std::string& threads, bool small) {
  const demo::Exec exec;
  const heddle::Device device = heddle::backends::describe(exec);
  const auto cache = static_cast<double>(device.cache_bytes);
  say_if_busy();
  demo::Size size;
  size.matrix_bytes = small ? 1e6 : std::min(bytes_beyond_cache(cache), 300e6);
  size.seconds = small ? 0 : 0.7;
  size.triad_rate =
      demo::triad_rate(exec, small ? 1e6 : bytes_beyond_cache(cache), size.seconds / 2);
  std::printf(
      "%s, %s with %d threads (%s)\nmemory: %.1f GB/s (STREAM triad, measured now); cache: %.0f "
      "MB%s\n",
      heddle::backends::processor_name().c_str(), exec.name(), exec.concurrency(), threads.c_str(),
      1e-9 * size.triad_rate, 1e-6 * cache,
      cache > size.matrix_bytes ? ", more than a matrix below takes" : "");
  std::printf("Bars are rates: %zu # are that of the triad; rates count what CSR moves at least.\n",
              demo::bar(1).size());
  const bool products = demo::show_products(exec, size);
  const bool solves = demo::show_solves(exec, size);
  std::printf("\nThe lines that did it, from perf_tests/demo/ten_lines.cpp:\n\n%s",
              demo::ten_lines);
  std::printf(
      "\n(FewFormats: CSR and blocks alone, so that this builds soon. Leave it out for all.)\n"
      "heddle::solve(exec, matrix, b) is one line: it chooses method and preconditioner, and says "
      "why.\nIt has all of them, so that it takes longer to compile than this demo: "
      "docs/solve.md\n");
  std::printf(
      "\nRead on: README.md, docs/solve.md, docs/using-plans.md, docs/overview.md, examples/\n"
      "Your matrix, every scheme, beside the libraries it finds: dev/sandbox dev/demo --full "
      "--matrix FILE.mtx\n"
      "Change something: dev/README.md, dev/sandbox dev/try cg\n");
  return products && solves;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string threads = heddle::bench::bind_threads(argc, argv);
  bool small = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--small") small = true;
    if (word == "--small" || word.starts_with("--kokkos-")) continue;
    std::fprintf(stderr, "usage: heddle_demo [--small] [--kokkos-num-threads=N]\n");
    return 2;
  }
  try {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // each line is seen when it is done
    Kokkos::ScopeGuard kokkos(argc, argv);
    return show(threads, small) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_demo: %s\n", error.what());
    return 3;
  }
}
