// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks of a GPU's schemes that do not merge rows; made on the host, each keeps every
// dependence.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../solvers/sptrsv/run/tasks.hpp"
#include "../../../solvers/sptrsv/select/choose.hpp"
#include "../../../solvers/triangle/ordered_triangle.hpp"
#include "../../support/task_proofs.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {
namespace {

namespace ordered = heddle::detail::ordered;
namespace triangle = heddle::detail::triangle;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Pattern32 = triangle::OrderedPattern<Exec, std::int32_t, std::int64_t>;

/// A triangle in the order of a scheme, and the scheme's tasks and launches.
struct Scheduled {
  Pattern32 pattern;
  int lanes;  ///< lanes a row
  std::vector<Task> tasks;
  std::vector<LaunchRange> launches;
  int width;

  Scheduled(const Pattern& from, Triangle side, const Scheme& scheme, int warp_width)
      : width(warp_width) {
    const Exec exec;
    const auto n = static_cast<std::int32_t>(from.rows.size());
    const triangle::DependencyGraph<std::int32_t, std::int64_t> graph{
        from.rows.row_ptr().data(), from.rows.col_idx().data(), n, side};
    std::int64_t entries = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      const ordered::PlaceOrder<std::int32_t> in_order{nullptr, n, SweepDirection::forward};
      entries += triangle::EntriesInTriangle<std::int32_t, std::int64_t>{graph, in_order, 0}(i);
    }
    using Schedule = ordered::Schedule<Exec, std::int32_t>;
    const ordered::Levels<Exec> levels(exec, triangle::loop_of(graph, from.rows.nonzeros()));
    Schedule schedule = scheme.has("in-order") ? Schedule(n, graph.sweep())
                                               : Schedule::by_level(exec, n, graph.sweep(), levels);
    pattern = Pattern32(exec, graph, nullptr, schedule.order(), entries);
    const std::int64_t* const row_ptr = pattern.row_ptr().data();
    lanes = heddle::detail::sptrsv::cut_tasks(exec, scheme, row_ptr, width, schedule);
    exec.fence("heddle::test::scheduled");
    tasks.assign(schedule.tasks(), schedule.tasks() + schedule.task_count());
    launches = schedule.launches();
  }

  std::string broken(const std::vector<Task>& by, const std::vector<LaunchRange>& launched) const {
    const PlaceGraph<std::int32_t, std::int64_t> graph{pattern.rows(), pattern.row_ptr().data(),
                                                       pattern.needed().data()};
    const int most_rows = lanes > 0 ? width / lanes : width;
    return broken_task(graph, by, launched, most_rows, lanes == 0);
  }
};

Device gpu(int lanes) {
  Device device;
  device.backend = lanes == 32 ? BackendKind::cuda : BackendKind::hip;
  device.lanes = lanes;
  device.waits_make_progress = true;
  return device;
}

/// Every scheme that does not merge rows, with every value that its tasks depend on.
std::vector<Scheme> schemes_of_rows(const Device& device) {
  namespace sptrsv = heddle::detail::sptrsv;
  const SchemeGrammar legal = sptrsv::grammar(device);
  std::vector<Scheme> found;
  for (const char* scheme :
       {"sptrsv/self-scheduled,lanes=4,warps=64", "sptrsv/level-set,lanes=4,warps=64",
        "sptrsv/in-order,sw_rnnz=8,warps=64"}) {
    const Scheme base = Scheme::parse(scheme);
    for (const SchemeKey& key : legal.parameters_of(heddle::detail::kernel_of(base, legal))) {
      if (key.key == "warps") continue;
      for (const std::string& value : key.values) {
        found.push_back(sptrsv::with(base, key.key, value));
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("sptrsv: the tasks and launches of every scheme keep every dependence") {
  for (const int width : {32, 64}) {
    const auto schemes = schemes_of_rows(gpu(width));
    CHECK(schemes.size() == 3 + 3 + 9);  // lanes of two schemes, and sw_rnnz of in-order
    for (const Scheme& scheme : schemes) {
      for (const Pattern& lower : triangle_patterns()) {
        CAPTURE(scheme.to_string());
        CAPTURE(lower.name);
        const Scheduled down(lower, Triangle::lower, scheme, width);
        CHECK(down.broken(down.tasks, down.launches) == "");
        const Scheduled up(reversed(lower), Triangle::upper, scheme, width);
        CHECK(up.broken(up.tasks, up.launches) == "");
      }
    }
  }
}

TEST_CASE("sptrsv: tasks and launches that break a dependence are found") {
  const Scheduled by_level(triangle_named("grid"), Triangle::lower,
                           Scheme::parse("sptrsv/level-set,lanes=4,warps=64"), 32);
  auto tasks = by_level.tasks;
  auto launches = by_level.launches;
  CHECK(by_level.broken(tasks, launches) == "");
  launches[3].stop = launches[4].stop;  // two levels in a launch without waits
  launches.erase(launches.begin() + 4);
  CHECK(by_level.broken(tasks, launches).find("does not wait for place") != std::string::npos);
  launches[3].one_level = false;
  CHECK(by_level.broken(tasks, launches) == "");
  launches.pop_back();
  CHECK(by_level.broken(tasks, launches) == "groups are missing");
  launches.erase(launches.begin());
  CHECK(by_level.broken(tasks, launches) == "launch 0 skips groups");
  std::swap(tasks[5], tasks[6]);
  CHECK(by_level.broken(tasks, by_level.launches) == "task 5 skips places");
  tasks = {{0, 2500}};
  CHECK(by_level.broken(tasks, {{0, 1, false}}) == "a group of 2500 rows");

  // Rows of a warp may need one another if each has a lane, but not if lanes share a row.
  const Scheduled alone(triangle_named("bidiagonal"), Triangle::lower,
                        Scheme::parse("sptrsv/in-order,sw_rnnz=inf,warps=64"), 32);
  CHECK(alone.broken(alone.tasks, alone.launches) == "");
  const Scheduled shared(triangle_named("bidiagonal"), Triangle::lower,
                         Scheme::parse("sptrsv/self-scheduled,lanes=4,warps=64"), 32);
  std::vector<Task> pairs;
  for (int p = 0; p < 700; p += 2) pairs.push_back({p, 2});
  CHECK(alone.broken(pairs, {{0, 350, false}}) == "");
  CHECK(shared.broken(pairs, {{0, 350, false}}) == "place 1 does not wait for place 0");
}

namespace {

/// The tasks of rows with these numbers of entries.
std::vector<Task> tasks_of(const DefaultDevice& exec, const std::vector<int>& row_entries,
                           int lanes, std::int64_t most_mean) {
  using Space = DefaultDevice::memory_space;
  const Kokkos::View<int*, Kokkos::HostSpace> host("heddle::test::row_ptr", row_entries.size() + 1);
  for (std::size_t i = 0; i < row_entries.size(); ++i) host(i + 1) = host(i) + row_entries[i];
  const auto row_ptr = copy_to<Space>(host);
  ordered::Schedule<DefaultDevice, int> tasks(static_cast<int>(row_entries.size()),
                                              SweepDirection::forward);
  tasks.cut_runs(exec, row_ptr.data(), lanes, most_mean);
  exec.fence("heddle::test::tasks");
  const auto count = static_cast<std::size_t>(tasks.task_count());
  const auto on_host =
      to_host(Kokkos::View<const Task*, Space, Kokkos::MemoryUnmanaged>(tasks.tasks(), count));
  std::vector<Task> result;
  for (std::size_t t = 0; t < count; ++t) result.push_back(on_host(t));
  return result;
}

}  // namespace

TEST_CASE("sptrsv in order: a run of rows is one task up to a mean row, and else a task a row") {
  const DefaultDevice exec;
  constexpr auto any = ordered::Schedule<DefaultDevice, int>::any_mean;
  for (const int lanes : {1, 32, 64}) {
    for (const int rows : {0, 1, 31, 32, 33, 64, 1000}) {
      // Means near every threshold, and runs of different means.
      std::vector<int> entries;
      for (int i = 0; i < rows; ++i) entries.push_back((i / 40 % 5) * 2 + i % 3 + (i == 500) * 99);
      for (const std::int64_t most : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{2},
                                      std::int64_t{4}, std::int64_t{8}, any}) {
        CAPTURE(lanes);
        CAPTURE(rows);
        CAPTURE(most);
        std::vector<Task> expected;
        for (int first = 0; first < rows; first += lanes) {
          const int stop = std::min(rows, first + lanes);
          double sum = 0;
          for (int i = first; i < stop; ++i) sum += entries[static_cast<std::size_t>(i)];
          if (sum / (stop - first) <= static_cast<double>(most)) {
            expected.push_back({first, stop - first});
          } else {
            for (int i = first; i < stop; ++i) expected.push_back({i, 1});
          }
        }
        const auto tasks = tasks_of(exec, entries, lanes, most);
        REQUIRE(tasks.size() == expected.size());
        for (std::size_t t = 0; t < tasks.size(); ++t) {
          CHECK(tasks[t].first == expected[t].first);
          CHECK(tasks[t].rows == expected[t].rows);
        }
      }
    }
  }
}

TEST_CASE("sptrsv in order: the order of the rows has no levels") {
  for (const int rows : {0, 1, 100}) {
    for (const Triangle side : {Triangle::lower, Triangle::upper}) {
      const triangle::DependencyGraph<int, int> graph{nullptr, nullptr, rows, side};
      const ordered::Schedule<Exec, int> schedule(rows, graph.sweep());
      CHECK(schedule.levels() == 0);
      for (int p = 0; p < rows; ++p) {
        CHECK(schedule.order()(p) == (side == Triangle::lower ? p : rows - 1 - p));
      }
    }
  }
}

}  // namespace heddle::test
