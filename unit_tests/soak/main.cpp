// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random plans of every kind, format, scheme and layout, against an oracle. A trial is drawn from
// its seed alone.
#include <Kokkos_Core.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "../../testing/backends.hpp"
#include "../support/watchdog.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

constexpr int threads = 5;
constexpr int most_failures = 10;

struct Arguments {
  std::uint64_t seed = 0;
  std::uint64_t trials = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  std::string only;
};

/// The message if a trial crashes the program.
char last_words[100];

void on_crash(int signal) {
  std::fputs(last_words, stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void expect_crash(std::uint64_t seed) {
  std::snprintf(last_words, sizeof(last_words),
                "CRASHED; again: heddle_soak --seed %llu --trials 1\n",
                static_cast<unsigned long long>(seed));
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, on_crash);
}

int run(const Arguments& arguments) {
  std::vector<Trial>& all = all_trials();
  std::ranges::sort(all, {}, &Trial::name);  // a seed must give the same trial everywhere
  const auto print = [](std::uint64_t seed, const Trial& trial, const Report& report) {
    const auto number = static_cast<unsigned long long>(seed);
    std::printf("%s: %s: %s\n%s\nagain: heddle_soak --seed %llu --trials 1\n\n",
                report.problem.empty() ? "passed" : "FAILED", trial.name.c_str(),
                report.what.c_str(), report.problem.c_str(), number);
    std::fflush(stdout);
  };
  std::printf("heddle_soak from seed %llu\n", static_cast<unsigned long long>(arguments.seed));
  std::fflush(stdout);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  long long results = 0, refusals = 0, trials = 0;
  int failures = 0;
  for (std::uint64_t step = 0; step < arguments.trials; ++step) {
    if (spent() >= arguments.seconds || failures == most_failures) break;
    const std::uint64_t seed = arguments.seed + step;
    Random random(seed);
    const Trial& trial = all[random.bits() % all.size()];
#ifdef HEDDLE_EMULATED
    backends::emulated_options().seed = seed;
#endif
    if (trial.name.find(arguments.only) == std::string::npos) continue;
    expect_crash(seed);
    const std::string watched = "trial " + std::to_string(seed) + " of heddle_soak";
    const Watchdog watchdog(watched.c_str());
    Report report;
    try {
      trial.run(random, report);
    } catch (const std::exception& error) {
      report.take(error.what());
    }
    ++trials;
    results += report.results;
    refusals += report.refusals;
    failures += !report.problem.empty();
    if (!report.problem.empty() || arguments.trials == 1) print(seed, trial, report);
  }
  std::printf(
      "%lld trials in %.1f s: %lld results held against the oracle, %lld plans refused, "
      "%d trials failed\n",
      trials, spent(), results, refusals, failures);
  return failures || trials == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

template <class Number>
bool read(const std::string& text, Number& number) {
  std::istringstream in(text);
  return in >> number && in.eof();
}

bool parse(const std::vector<std::string>& words, Arguments& arguments) {
  if (words.size() % 2) return false;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "--seed" && read(value, arguments.seed)) continue;
    if (words[i] == "--trials" && read(value, arguments.trials)) continue;
    if (words[i] == "--seconds" && read(value, arguments.seconds)) continue;
    if (words[i] != "--only") return false;
    arguments.only = value;
  }
  return true;
}

}  // namespace

}  // namespace heddle::test

int main(int argc, char** argv) {
  heddle::test::Arguments arguments;
  arguments.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                              std::chrono::seconds(1) * 1000000);
  if (const char* const seed = std::getenv("HEDDLE_SOAK_SEED")) {
    arguments.seed = std::strtoull(seed, nullptr, 10);
  }
  if (!heddle::test::parse({argv + 1, argv + argc}, arguments)) {
    std::fprintf(stderr,
                 "usage: heddle_soak [--seed N] [--trials N] [--seconds S] [--only WORD]\n"
                 "Trials of seeds N, N + 1, ...; without --seed from HEDDLE_SOAK_SEED on, and "
                 "without that each\n"
                 "run draws others. WORD is part of a trial's name: spmv, sptrsv, wavefronts, "
                 "gauss-seidel, ilu,\n"
                 "csr, float, portable, ...\n");
    return 2;
  }
  // A fixed number, whatever the machine has: a seed must give the same trial everywhere.
  const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings()
                                      .set_num_threads(heddle::test::threads)
                                      .set_disable_warnings(true));
  return heddle::test::run(arguments);
}
