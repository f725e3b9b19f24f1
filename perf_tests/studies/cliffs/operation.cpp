// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../bench/operation.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

#include "../../../backends/device.hpp"
#include "../../../core/files/output_file.hpp"
#include "../../../formats/common/prediction.hpp"
#include "../../bench/common/table.hpp"
#include "../../bench/common/timing.hpp"
#include "cases.hpp"
#include "growth.hpp"
#include "patterns.hpp"
#ifdef _OPENMP
#include <omp.h>
#endif

namespace heddle::bench {

namespace {

struct Request {
  std::int32_t from = 25000, to = 1600000;
  double limit_seconds = 10;
  std::vector<std::string> patterns, plans;
  bool table = false;
  std::string csv_path;
};

/// Whether one of the words begins the name, or there are no words.
bool asked(const std::vector<std::string>& words, const std::string& name) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return name.starts_with(word);
         });
}

/// The shortest time of several runs, or of the only one if it is long.
template <class Run>
double least_seconds(const Exec& exec, const Run& run) {
  constexpr double enough_seconds = 0.1;
  constexpr int most_runs = 20;
  double least = 0, spent = 0;
  for (int i = 0; i < most_runs && (i < 3 || spent < enough_seconds); ++i) {
    exec.fence("heddle::bench::cliffs");
    const double begin = host_seconds();
    run();
    exec.fence("heddle::bench::cliffs");
    const double seconds = host_seconds() - begin;
    least = i == 0 ? seconds : std::min(least, seconds);
    spent += seconds;
    if (spent > 10 * enough_seconds) break;
  }
  return least;
}

CliffTimes time_case(const Exec& exec, const CliffCase& one, const CliffMatrix& A) {
  std::unique_ptr<AnyOperator<double>> plan;
  CliffTimes times;
  times.rows = A.rows();
  times.entries = A.nonzeros();
  times.seconds[0] = least_seconds(exec, [&] {
    plan.reset();
    plan = one.make(exec, A);
  });
  times.seconds[1] = least_seconds(exec, [&] { plan->update_values(exec); });
  const Kokkos::View<double*, Space> b("heddle::bench::b", static_cast<std::size_t>(A.rows())),
      x("heddle::bench::x", static_cast<std::size_t>(A.rows()));
  Kokkos::deep_copy(exec, b, 1.0);
  times.seconds[2] = least_seconds(exec, [&] { plan->apply(exec, b, x); });
  return times;
}

/// Times a case, and again if it seems to grow too fast: other load of the machine is as likely.
CliffTimes time_carefully(const Exec& exec, const CliffCase& one, const CliffMatrix& A,
                          const CliffSeries& before, double limit_seconds) {
  CliffTimes times = time_case(exec, one, A);
  for (int again = 0; again < 3 && !before.sizes.empty(); ++again) {
    CliffSeries with_it{before};
    with_it.sizes = {before.sizes.back(), times};
    const auto& all = times.seconds;
    if (!with_it.cliff() || *std::max_element(all.begin(), all.end()) > limit_seconds) break;
    const CliffTimes more = time_case(exec, one, A);
    for (std::size_t i = 0; i < all.size(); ++i) {
      times.seconds[i] = std::min(times.seconds[i], more.seconds[i]);
    }
  }
  return times;
}

void warn_of_unbound_threads() {
#ifdef _OPENMP
  if (Kokkos::DefaultHostExecutionSpace().concurrency() == 1) return;
  if (omp_get_proc_bind() != omp_proc_bind_false) return;
  std::cerr << "heddle-bench: threads are not bound, and what the system makes of that is timed "
               "too; set OMP_PROC_BIND=true and OMP_PLACES=cores\n";
#endif
}

/// One series for each case, over all sizes of the pattern.
std::vector<CliffSeries> run_pattern(const Exec& exec, const Request& request,
                                     const CliffPattern& pattern,
                                     const std::vector<CliffCase>& cases, Progress& progress) {
  std::vector<CliffSeries> found;
  for (const CliffCase& one : cases) found.push_back({pattern.name, one.plan, one.scheme});
  for (std::int64_t rows = request.from; rows <= request.to; rows *= 2) {
    const CliffStorage host = make_cliff(pattern, static_cast<std::int32_t>(rows));
    const auto storage = host.copy_to<Space>(exec);
    exec.fence("heddle::bench::cliffs");
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CliffSeries& series = found[i];
      if (!series.ended.empty()) continue;
      progress.task(format("%s of %lld rows: %s %s", pattern.name, static_cast<long long>(rows),
                           series.plan.c_str(), series.scheme.c_str()));
      try {
        const CliffTimes times =
            time_carefully(exec, cases[i], storage.matrix(), series, request.limit_seconds);
        series.sizes.push_back(times);
        const double longest = *std::max_element(times.seconds.begin(), times.seconds.end());
        if (longest > request.limit_seconds && 2 * rows <= request.to) {
          series.ended =
              "took " + duration(longest) + ", the limit is " + duration(request.limit_seconds);
        }
      } catch (const Refusal& refusal) {
        series.ended = refusal.problem();
      } catch (const OutOfMemory& error) {
        series.ended = error.problem();
      }
    }
  }
  progress.clear();
  return found;
}

void print(std::ostream& out, const std::vector<CliffSeries>& all) {
  for (const CliffSeries& series : all) {
    if (series.sizes.empty()) continue;
    const CliffTimes& largest = series.sizes.back();
    out << format("%-12s %-28s %-28s %8lld", series.pattern.c_str(), series.plan.c_str(),
                  series.scheme.c_str(), static_cast<long long>(largest.rows));
    for (const CliffPhase phase : {CliffPhase::setup, CliffPhase::update, CliffPhase::apply}) {
      const double worst = series.worst_growth(phase);
      const std::string by = worst > 0 ? format("x%.1f", worst) : "";
      out << format(" %10s %5s%s", duration(largest.of(phase)).c_str(), by.c_str(),
                    series.cliff(phase) ? "!" : " ");
    }
    out << (series.ended.empty() ? "" : "  " + series.ended) << '\n';
  }
}

int run(const Request& request) {
  if (!cliff_cases()) {
    throw Error("this build has no plans of double with 32-bit offsets",
                "configure it with them: -DHEDDLE_BENCH_SCALARS=double -DHEDDLE_BENCH_OFFSETS=32");
  }
  if (!request.csv_path.empty()) files::require_writable(request.csv_path);
  warn_of_unbound_threads();
  const Exec exec;
  std::vector<CliffCase> cases = cliff_cases()(backends::describe(exec));
  std::erase_if(cases, [&](const CliffCase& one) { return !asked(request.plans, one.plan); });
  const auto& known = cliff_patterns();
  const bool any = std::any_of(known.begin(), known.end(), [&](const CliffPattern& pattern) {
    return asked(request.patterns, pattern.name);
  });
  if (!any || cases.empty()) {
    throw Error(any ? "no plan of that name" : "no pattern of that name",
                "heddle-bench cliffs --help has the names of patterns; leave out --plan to see "
                "those of plans");
  }
  std::vector<CliffSeries> all;
  Progress progress;
  if (!request.table) {
    std::cout << format("%-12s %-28s %-28s %8s %10s %5s  %10s %5s  %10s %5s\n", "pattern", "plan",
                        "scheme", "rows", "set-up", "", "update", "", "apply", "");
  }
  for (const CliffPattern& pattern : known) {
    if (!asked(request.patterns, pattern.name)) continue;
    const auto found = run_pattern(exec, request, pattern, cases, progress);
    if (!request.table) print(std::cout, found);
    std::cout.flush();
    all.insert(all.end(), found.begin(), found.end());
    if (request.csv_path.empty()) continue;
    files::OutputFile file(request.csv_path);
    file.write(cliffs_csv(all));
    file.commit();
  }
  if (request.table) std::cout << cliffs_table(all);
  const auto steep = std::count_if(all.begin(), all.end(),
                                   [](const CliffSeries& series) { return series.cliff(); });
  std::cout << format("\n%lld of %lld grew by more than %.1f from one size to twice the size\n",
                      static_cast<long long>(steep), static_cast<long long>(all.size()),
                      most_growth);
  return all_well;
}

}  // namespace

Operation cliffs_operation() {
  const auto request = std::make_shared<Request>();
  Operation operation;
  operation.name = "cliffs";
  operation.description = "Where set-up, update or apply of a plan grows faster than the matrix";
  operation.define = [request](CLI::App& app) {
    app.add_option("--from", request->from,
                   "Rows of the smallest matrix; each next has twice as many")
        ->check(CLI::Range(2, 1 << 28))
        ->capture_default_str();
    app.add_option("--to", request->to, "Rows of the largest")
        ->check(CLI::Range(2, 1 << 28))
        ->capture_default_str();
    app.add_option("--pattern", request->patterns, "Patterns whose names begin so; else all");
    app.add_option("--plan", request->plans, "Plans whose names begin so; else all");
    app.add_option("--limit", request->limit_seconds,
                   "Seconds of a set-up, update or apply after which larger sizes are left out")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--table", request->table, "Print a Markdown table, a column a pattern");
    app.add_option("--csv", request->csv_path, "Also write every size here");
  };
  operation.run = [request](const std::vector<std::string>&) { return run(*request); };
  std::string patterns = "\npatterns, all with a whole diagonal:\n";
  for (const CliffPattern& pattern : cliff_patterns()) {
    patterns += format("  %-12s %s\n", pattern.name, pattern.description);
  }
  operation.help =
      patterns +
      "\nEach line has the times of the largest size, and behind each by what factor it grew at\n"
      "worst from one size to twice the size, if it took a millisecond or more and went on so to\n"
      "larger sizes; ! marks more than 2.6. A scheme that refuses a pattern has no line; --csv "
      "says why.\n\n"
      "  OMP_PROC_BIND=true OMP_PLACES=cores heddle-bench cliffs --to 200000 --csv cliffs.csv\n\n";
  return operation;
}

}  // namespace heddle::bench
