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

/// Options of triangular solves. Every default is sensible.
struct SptrsvOptions {
  /// The part of the matrix to solve with.
  Triangle triangle = Triangle::lower;
  /// Whether the diagonal is the stored one, or all ones whatever is stored.
  Diagonal diagonal = Diagonal::stored;
  /// Whether entries outside the triangle are ignored, as for a combined LU matrix, or an error.
  bool ignore_outside = false;
  /// Number of applies that the plan is made for; the choice weighs the inspection against it.
  std::int64_t expected_applies = 1000;
  /// Pins the scheme; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// Seconds that the plan may spend, for each op that it prepares, on measuring the best-ranked
  /// schemes, their inspections included; it keeps the fastest. 0: the ranking decides. At least
  /// two schemes are measured, as with SpmvOptions::measure_seconds.
  double measure_seconds = 0;
  /// A file that keeps the results of measure_seconds: SpmvOptions::cache.
  std::string cache = {};
  /// A model of the choice on this device (read_triangle_model of <heddle/model.hpp>). Rules alone
  /// decide without one, if the model is not sure, or if it is for another device, scalar, number
  /// of right-hand sides or threads, or for more solves. With a model a plan on a CPU finds the
  /// levels.
  std::shared_ptr<const TriangleModel> model = nullptr;
  /// The right-hand sides that b will hold. Any number works; the plan reserves memory to solve
  /// this many at once, up to 64.
  ExpectedVectors vectors = {};
  /// Ops that will be applied besides Op::none. The plan prepares them; SptrsvPlan::prepare can
  /// prepare others later.
  std::vector<Op> ops = {};
  /// CPU threads that the solve is scheduled for; 0: the execution space's threads, at most one for
  /// each processor. The solve runs on any number of threads.
  int threads = 0;
  /// Whether overlapping solves of one plan, which are an error and may hang, are detected: on a
  /// CPU by an Error; on a GPU the program aborts, and each solve costs two more launches. Default:
  /// in debug builds (without NDEBUG).
  bool check_overlap = heddle::detail::asserts;
  /// Whether update_values compares the pattern with the inspected one, which costs a launch and a
  /// wait. Default: in debug builds (without NDEBUG).
  bool check_pattern = heddle::detail::asserts;
};

}  // namespace heddle
