// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in the user's order: their tasks, and the published methods that are presets of this scheme.
#include <doctest/doctest.h>

#include "../../../solvers/ordered/schedule.hpp"
#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

using heddle::detail::ordered::Schedule;
using heddle::detail::ordered::Task;
using heddle::detail::sptrsv::expanded;
using heddle::detail::sptrsv::grammar;
using heddle::detail::sptrsv::Preset;
using heddle::detail::sptrsv::presets;
using heddle::detail::triangle::Graph;
using Type = OneTriangleType;
using Exec = Type::Exec;
using Space = Type::Space;

Device some_gpu() {
  Device device;
  device.backend = BackendKind::cuda;
  device.lanes = 32;
  device.waits_make_progress = true;
  return device;
}

/// The tasks of rows with these numbers of entries.
std::vector<Task> tasks_of(const Exec& exec, const std::vector<int>& row_entries, int lanes,
                           std::int64_t most_mean) {
  const Kokkos::View<int*, Kokkos::HostSpace> host("heddle::test::row_ptr", row_entries.size() + 1);
  for (std::size_t i = 0; i < row_entries.size(); ++i) host(i + 1) = host(i) + row_entries[i];
  const auto row_ptr = copy_to<Space>(host);
  Schedule<Exec, int> tasks(static_cast<int>(row_entries.size()), SweepDirection::forward);
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
  const Exec exec;
  constexpr auto any = Schedule<Exec, int>::any_mean;
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
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const Graph<int, int> graph{nullptr, nullptr, rows, triangle};
      const Schedule<Exec, int> schedule(rows, graph.sweep());
      CHECK(schedule.levels() == 0);
      for (int p = 0; p < rows; ++p) {
        CHECK(schedule.order()(p) == (triangle == Triangle::lower ? p : rows - 1 - p));
      }
    }
  }
}

TEST_CASE("sptrsv: presets expand to full schemes of a GPU, and other schemes to themselves") {
  const SchemeGrammar gpu = grammar(some_gpu());
  const auto parsed = [&](const std::string& text) {
    return expanded(parse_scheme(text, std::span(&gpu, 1)));
  };
  CHECK(parsed("sptrsv/sync-free").to_string() == "sptrsv/in-order,sw_rnnz=0,warps=64");
  CHECK(parsed("sptrsv/capellini").to_string() == "sptrsv/in-order,sw_rnnz=inf,warps=64");
  CHECK(parsed("sptrsv/yy").to_string() == "sptrsv/in-order,sw_rnnz=8,warps=64");
  for (const Preset& preset : presets) {
    const Scheme full = expanded(Scheme("sptrsv", {{preset.name}}));
    CHECK(resolve(full, std::span(&gpu, 1)) == full);
    CHECK_THROWS_AS(parsed(std::string("sptrsv/") + preset.name + ",warps=8"), Error);
  }
  for (const Scheme& scheme : variants_of(gpu)) {
    const bool is_preset =
        std::any_of(std::begin(presets), std::end(presets),
                    [&](const Preset& preset) { return scheme.has(preset.name); });
    CHECK((expanded(scheme) != scheme) == is_preset);
  }
  const SchemeGrammar cpu = grammar(Device());
  CHECK_THROWS_AS(parse_scheme("sptrsv/yy", std::span(&cpu, 1)), Error);
}

TEST_CASE("sptrsv: a plan prints what a preset stands for") {
  const Exec exec;
  if (!heddle::detail::sptrsv::waits_on_lanes(backends::describe(exec))) return;
  const auto A = triangle_on_device<Type>(exec, triangle_named("grid"));
  for (const Preset& preset : presets) {
    const Type::Plan<> plan(exec, A.matrix(), {.scheme = Scheme("sptrsv", {{preset.name}})});
    CHECK(plan.scheme().to_string() == preset.scheme);
    CHECK(plan.levels() == 0);
  }
}

}  // namespace heddle::test
