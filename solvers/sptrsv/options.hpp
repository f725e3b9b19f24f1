// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "../triangle/triangle.hpp"

namespace heddle {

class TriangleModel;

/// What a user may say about a triangular solve; every default is sensible.
struct SptrsvOptions {
  /// The part of the matrix that is solved with.
  Triangle triangle = Triangle::lower;
  /// Whether the diagonal is stored, or one whatever is stored.
  Diagonal diagonal = Diagonal::stored;
  /// Whether entries outside of the triangle are ignored, as in a combined LU matrix, or an error.
  bool ignore_outside = false;
  /// How often the plan will be applied; the choice weighs the inspection against that.
  std::int64_t expected_applies = 1000;
  /// Pins the scheme; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// Seconds that the plan may spend, for each op that it prepares, on solves by the schemes that
  /// come first, inspecting them included, to keep the one that is the fastest here; 0 takes the
  /// choice's word. As SpmvOptions::measure_seconds: a budget, and two are measured at least.
  double measure_seconds = 0;
  /// A file that remembers what measure_seconds found: SpmvOptions::cache.
  std::string cache = {};
  /// What was learned about the choice on this device (read_triangle_model of <heddle/model.hpp>);
  /// without one, and where it is for another device, scalar, number of right-hand sides or
  /// threads, or for more solves, or is not sure, rules alone decide. With one a plan on a CPU
  /// looks for levels.
  std::shared_ptr<const TriangleModel> model = nullptr;
  /// The right-hand sides that b will hold. It may hold any number; but room is kept to solve so
  /// many at once, up to 64.
  ExpectedVectors vectors = {};
  /// Ops that will be applied besides Op::none, prepared with the plan. Others can be prepared
  /// later: SptrsvPlan::prepare.
  std::vector<Op> ops = {};
  /// Threads of a CPU that the solve is scheduled for; 0: as many as the execution space has and
  /// have a processor each. It runs on any number.
  int threads = 0;
  /// Whether to look for solves of one plan that overlap, which is an error and may hang: on a CPU
  /// it throws Error, on a GPU it aborts the program, at two launches a solve more. By default in
  /// debug builds (without NDEBUG).
  bool check_overlap = heddle::detail::asserts;
  /// Whether update_values compares the pattern with the one that was inspected: a launch and a
  /// wait more. By default in debug builds (without NDEBUG).
  bool check_pattern = heddle::detail::asserts;
};

}  // namespace heddle
