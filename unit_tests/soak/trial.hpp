// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trial of heddle_soak, all of it drawn from one seed: what it reports, numbers that trials draw,
// and events between the applies of a plan.
#pragma once

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../../backends/lanes.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/random.hpp"

namespace heddle::test {

/// The parts one after another, as a stream prints them.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

struct Report {
  std::string what;     ///< description of the case
  std::string problem;  ///< empty if none
  int results = 0;      ///< results compared with an oracle
  int refusals = 0;     ///< plans that refuse a matrix or a budget

  template <class... Parts>
  void says(const Parts&... parts) {
    what += text(parts...);
  }
  /// Counts a result and keeps the first error; `wrong` is empty if the result is right.
  void take(const std::string& wrong) {
    ++results;
    if (problem.empty()) problem = wrong;
  }
};

struct Trial {
  std::string name;
  void (*run)(Random&, Report&);  ///< an exception is a problem
};

/// All trials. Each trial_NAME.cpp adds its own before main: separate sources compile in parallel.
inline std::vector<Trial>& all_trials() {
  static std::vector<Trial> all;
  return all;
}
struct AddTrial {
  AddTrial(std::string name, void (*run)(Random&, Report&)) {
    all_trials().push_back({std::move(name), run});
  }
};

/// True once in `times` calls on average.
inline bool once_in(Random& random, std::int64_t times) { return random.below(times) == 0; }

template <class List>
const auto& one_of(Random& random, const List& list) {
  const auto size = static_cast<std::int64_t>(std::size(list));  // nvcc finds no ssize of an array
  return list[static_cast<std::size_t>(random.below(size))];
}
template <class T>
T one_of(Random& random, std::initializer_list<T> list) {
  return list.begin()[random.below(static_cast<std::int64_t>(list.size()))];
}

/// From 1 to `most`, as the type of a count.
template <class Count = int>
Count up_to(Random& random, std::int64_t most) {
  return static_cast<Count>(1 + random.below(most));
}

template <class List>
void shuffle(Random& random, List& list) {
  for (std::size_t k = list.size(); k > 1; --k) {
    std::swap(list[k - 1],
              list[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
  }
}

template <Scalar S>
S draw_factor(Random& random) {
  const S factors[] = {S(0), S(1), S(-1), random.scalar<S>(), random.scalar<S>()};
  return one_of(random, factors);
}

/// A number of vectors: mostly small.
inline std::size_t draw_count(Random& random) {
  return up_to<std::size_t>(random, one_of<std::int64_t>(random, {1, 1, 4, 9, 40}));
}

/// On a CPU an instance of so many threads if the execution space has such instances, on a GPU a
/// stream.
template <ExecutionSpace Exec>
Exec instance_of([[maybe_unused]] int threads) {
  using Space = KokkosSpace<Exec>;
  if constexpr (!backends::runs_on_host<Space>) {
    return Exec(Kokkos::Experimental::partition_space(Space(), 1, 1)[0]);
  } else if constexpr (std::is_constructible_v<Space, int>) {
    return Exec(Space(threads));
  } else {
    return Exec(Space());
  }
}

/// That of 1 to all threads of a CPU.
template <ExecutionSpace Exec>
Exec draw_instance(Random& random, Report& report) {
  int threads = 1;
  if constexpr (backends::runs_on_host<KokkosSpace<Exec>>) {
    threads = up_to(random, KokkosSpace<Exec>().concurrency());
    report.says("; threads ", threads);
  }
  return instance_of<Exec>(threads);
}

/// Calls use(plan) for a plan of make(), up to five times, until there is a problem. Before each
/// call the plan may get other values by update(plan), be moved, be assigned to another plan, or
/// change to another instance.
template <class Exec, class Make, class Update, class Use>
void draw_events(Random& random, Exec& exec, Report& report, const Make& make, const Update& update,
                 const Use& use) {
  using Plan = decltype(make());
  std::optional<Plan> plan(make());
  if constexpr (requires { plan->scheme().to_string(); }) {
    report.says("; ", plan->scheme().to_string());
  }
  for (std::int64_t left = random.below(5); left >= 0 && report.problem.empty(); --left) {
    const std::int64_t event = random.below(8);
    if (event == 0) {
      report.says("; updated");
      update(*plan);
    } else if (event == 1) {
      report.says("; moved");
      Plan taken(std::move(*plan));
      plan.emplace(std::move(taken));
    } else if (event == 2) {
      report.says("; assigned");
      Plan other = make();
      other = std::move(*plan);
      plan.emplace(std::move(other));
    } else if (event == 3) {
      exec.fence("heddle::test::instance");
      exec = draw_instance<Exec>(random, report);
    }
    if (report.problem.empty()) use(*plan);
  }
}

}  // namespace heddle::test
