// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/core/pattern_features.hpp>

#include "../formats/spmv_check.hpp"
#include "events.hpp"

namespace heddle::test {

namespace {

using ToolTypes = Every<std::tuple<double>, UsualIndices>;

Pattern irregular_pattern() {
  return random_pattern("irregular", 3, 2000, 9000,
                        [](std::int64_t i) { return i % 700 == 5 ? 8000 : i % 7; });
}

std::string strangers(const std::vector<Event>& events) {
  std::string list;
  for (const Event& event : events) {
    const bool labelled = event.kind == Event::kernel || event.kind == Event::allocation;
    if (labelled && !is_ours(event.label)) list += event.label + "\n";
  }
  return list;
}

int count(const std::vector<Event>& events, Event::Kind kind) {
  int n = 0;
  for (const Event& event : events) n += event.kind == kind;
  return n;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("every kernel and allocation is labelled heddle::op::phase", T, labels) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto host = make_matrix<S, typename T::Ordinal, typename T::Offset>(irregular_pattern());
  const auto rows = static_cast<std::size_t>(host.rows());
  const auto columns = static_cast<std::size_t>(host.columns());
  const Kokkos::View<S**, typename T::Space> x("x", columns, 5), y("y", rows, 5);

  const Recording recording;
  const auto device = host.template copy_to<typename T::Space>(exec);
  exec.fence("heddle::test::copied");
  row_features(exec, device.matrix());
  check_columns(exec, device.matrix());
  pattern_features(exec, device.matrix());
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    for (const Transpose how : {Transpose::on_first_use, Transpose::stored, Transpose::atomics}) {
      SpmvPlan plan(exec, device.matrix(), {.scheme = scheme, .columns = {5}, .transpose = how});
      plan.apply(exec, S(1), x, S(0), y);
      plan.apply(exec, S(0), x, S(2), y);
      plan.apply(exec, Op::transpose, S(1), y, S(0), x);
      plan.update_values(exec, device.matrix());
    }
  }
  spmv(exec, S(1), device.matrix(), x, S(0), y);
  spmv(exec, Op::transpose, S(1), device.matrix(), y, S(0), x);
  exec.fence("heddle::test::applied");
  CHECK(strangers(recording.seen()) == "");
  CHECK(count(recording.seen(), Event::kernel) > 20);
  CHECK(count(recording.seen(), Event::allocation) > 5);
}
TEST_CASE_TEMPLATE_APPLY(labels, ToolTypes);

TEST_CASE_TEMPLATE_DEFINE("an apply launches, and neither allocates, copies nor fences", T, quiet) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, irregular_pattern());
  const auto rows = static_cast<std::size_t>(A.host.rows());
  const auto columns = static_cast<std::size_t>(A.host.columns());
  const Kokkos::View<S**, typename T::Space> x("x", columns, 9), y("y", rows, 9);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    for (const Transpose how : {Transpose::stored, Transpose::atomics}) {
      SpmvPlan plan(exec, A.matrix(), {.scheme = scheme, .columns = {9}, .transpose = how});
      const Recording recording;
      plan.apply(exec, S(1), x, S(0), y);
      plan.apply(exec, Op::transpose, S(1), y, S(0.5), x);
      plan.apply(exec, S(0), x, S(0), y);
      plan.update_values(exec, A.matrix());
      CHECK(count(recording.seen(), Event::kernel) >= 3);
      CHECK(count(recording.seen(), Event::allocation) == 0);
      CHECK(count(recording.seen(), Event::copy) == 0);
      for (const Event& event : recording.seen()) {
        CHECK_MESSAGE(event.kind != Event::fence, scheme.to_string(), ": ", event.label);
      }
      exec.fence("heddle::test::applied");
    }
  }
  const Recording recording;
  spmv(exec, S(1), A.matrix(), x, S(0), y);
  spmv(exec, Op::transpose, S(1), A.matrix(), y, S(0), x);
  CHECK(count(recording.seen(), Event::kernel) >= 3);
  CHECK(count(recording.seen(), Event::kernel) == static_cast<int>(recording.seen().size()));
  exec.fence("heddle::test::applied");
}
TEST_CASE_TEMPLATE_APPLY(quiet, ToolTypes);

TEST_CASE_TEMPLATE_DEFINE("columns that lie apart are packed if expected", T, packing) {
  using S = typename T::Scalar;
  using Left = Kokkos::View<S**, Kokkos::LayoutLeft, typename T::Space>;
  const typename T::Exec exec;
  constexpr bool lanes = backends::has_lanes<typename T::Exec>;
  const bool gains = lanes || backends::host_vectors() != backends::HostVectors::none;
  const int threads = lanes ? 1 : exec.concurrency();
  const auto packs = [&](const Pattern& pattern, const ExpectedColumns& columns) {
    const auto A = to_device<T>(exec, pattern);
    const Left x("x", A.host.columns(), 8), y("y", A.host.rows(), 8);
    const SpmvPlan plan(exec, A.matrix(),
                        {.scheme = Scheme("csr", {{"adaptive"}}), .columns = columns});
    const Recording recording;
    plan.apply(exec, S(1), x, S(0), y);
    exec.fence("heddle::test::applied");
    for (const Event& event : recording.seen()) {
      if (event.label == "heddle::spmv::pack_columns") return true;
    }
    return false;
  };
  const Pattern often = random_pattern("often", 1, 400, 300, [](std::int64_t) { return 40; });
  const Pattern beyond_caches = random_pattern("beyond the caches", 1, 1000 * threads,
                                               6000 * threads, [](std::int64_t) { return 90; });
  const Pattern seldom = random_pattern("seldom", 1, 100, 9000, [](std::int64_t) { return 5; });
  CHECK(packs(often, {8}) == gains);
  CHECK(packs(often, {2}) == gains);
  CHECK(packs(beyond_caches, {64}));
  CHECK(!packs(often, {1}));
  CHECK(!packs(often, {8, false}));
  CHECK(!packs(seldom, {8}));
}
TEST_CASE_TEMPLATE_APPLY(packing, ToolTypes);

TEST_CASE_TEMPLATE_DEFINE("work stays on the instance it was given to", T, stays) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, irregular_pattern());
  const auto instance = Kokkos::Experimental::partition_space(exec, 1, 1)[1];
  const std::uint32_t here = Kokkos::Tools::Experimental::device_id(instance);
  const Kokkos::View<S*, typename T::Space> x("x", A.host.columns()), y("y", A.host.rows());
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    const Recording recording;
    SpmvPlan plan(instance, A.matrix(), {.scheme = scheme, .transpose = Transpose::stored});
    plan.apply(instance, S(1), x, S(0), y);
    plan.apply(instance, Op::transpose, S(1), y, S(0), x);
    plan.update_values(instance, A.matrix());
    instance.fence("heddle::test::applied");
    for (const Event& event : recording.seen()) {
      const bool ours = event.kind == Event::kernel ||
                        (event.kind == Event::fence && event.label.rfind("heddle::", 0) == 0);
      if (ours) CHECK_MESSAGE(event.device == here, event.label);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(stays, ToolTypes);

}  // namespace heddle::test
