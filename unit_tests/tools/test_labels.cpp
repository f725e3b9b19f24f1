// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Labels that Kokkos Tools sees; those of plans: testing/format_suite/events.hpp.
#define HEDDLE_DEFINITIONS  // for unsigned offsets too
#include <doctest/doctest.h>

#include "../../formats/csr/apply_without_plan.hpp"
#include "../../formats/csr/inspect.hpp"
#include "../../formats/definitions.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/events.hpp"
#include "../../testing/format_suite/check.hpp"

namespace heddle::test {

namespace {

using ToolTypes = Every<std::tuple<double>, UsualIndices>;

Pattern irregular_pattern() {
  return random_pattern("irregular", 3, 2000, 9000,
                        [](std::int64_t i) { return i % 700 == 5 ? 8000 : i % 7; });
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("matrices and features are labelled heddle::op::phase", T, labels) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto host = make_matrix<S, typename T::Ordinal, typename T::Offset>(irregular_pattern());
  const Recording recording;
  const auto device = host.template copy_to<typename T::Space>(exec);
  exec.fence("heddle::test::copied");
  row_features(exec, device.matrix());
  check_columns(exec, device.matrix());
  check_csr(exec, device.matrix());
  pattern_features(exec, device.matrix());
  exec.fence("heddle::test::looked");
  CHECK(strangers(recording.seen()) == "");
  CHECK(count(recording.seen(), Event::kernel) >= 4);
  CHECK(bytes_allocated(recording.seen()) > device.bytes());
}
TEST_CASE_TEMPLATE_APPLY(labels, ToolTypes);

TEST_CASE_TEMPLATE_DEFINE("spmv() launches, and neither allocates, copies nor fences", T, quiet) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, irregular_pattern());
  const Vectors<S, typename T::Space> x(A.rows_of_x(), 9, true), y(A.rows_of_y(), 9, true);
  const Recording recording;
  spmv(exec, S(1), A.matrix(), x.view(), S(0), y.view());
  spmv(exec, Op::transpose, S(1), A.matrix(), y.view(), S(0), x.view());
  const std::vector<Event> seen = recording.seen();
  exec.fence("heddle::test::applied");
  CHECK(strangers(seen) == "");
  CHECK(count(seen, Event::kernel) >= 3);
  CHECK(count(seen, Event::kernel) == static_cast<int>(seen.size()));
}
TEST_CASE_TEMPLATE_APPLY(quiet, ToolTypes);

}  // namespace heddle::test
