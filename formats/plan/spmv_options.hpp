// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../core/asserts.hpp"
#include "../../core/multivector.hpp"
#include "../../core/promises.hpp"
#include "../../core/scheme.hpp"
#include "../common/prediction.hpp"

namespace heddle {

class Model;

/// What a user may say about a plan; every default is sensible.
struct SpmvOptions {
  /// Pins the scheme; by default `choose` takes one. Parameters that it leaves out are resolved by
  /// the inspector: see SpmvPlan::scheme.
  std::optional<Scheme> scheme = std::nullopt;
  /// Pins the scheme of the stored transpose, where there is one.
  std::optional<Scheme> transposed_scheme = std::nullopt;
  /// How often the plan will be applied: what an inspection may cost.
  std::int64_t expected_applies = 1000;
  /// The vectors that x will hold. x may hold any others; but expect several that lie apart, and
  /// schemes that gain by it keep room to lay them side by side.
  ExpectedVectors vectors = {};
  /// Ops that will be applied besides Op::none: what they need is prepared with the plan. Others
  /// can be prepared later: SpmvPlan::prepare.
  std::vector<Op> ops = {};
  /// Restricts the choice to schemes that read the user's values in place, and apply `ops` so: a
  /// stored transpose never does, transpose=atomics does, slower and not reproducible.
  bool values_in_place = false;
  /// The most device memory, in bytes, that the plan may keep beyond the matrix, a stored transpose
  /// included: bytes() is never more. Schemes that are predicted to keep more are left out of the
  /// choice, and one that turns out to is given back. What an inspection needs for a while and
  /// frees again is not bounded.
  std::size_t max_bytes = no_bound;
  /// Seconds that the plan may spend on applies of the schemes that are predicted to be the best,
  /// inspecting them included, to keep the one that is the fastest here; 0 takes the prediction's
  /// word. A budget, not a promise: two at least are measured, however long that takes. Two plans
  /// of one matrix may then come out with different schemes. Not where the scheme is pinned.
  double measure_seconds = 0;
  /// A file that remembers what measure_seconds found, for this pattern, device, number of threads,
  /// list of formats and what is asked here; empty: none. A plan that finds its matrix there takes
  /// that scheme and measures nothing, whatever measure_seconds is; one that measures adds to it.
  /// Programs may share it. Where it cannot be read or written, or is another kind of file, the
  /// plan chooses as if it were not there; explain() says so. Of the values nothing is remembered.
  std::string cache = {};
  /// Bytes that the device's memory reads and writes in a second, for the choice: what
  /// `heddle-bench device` measures of a copy, for one. 0: Device::bytes_per_second, which is known
  /// by name or by what the device says of itself; no plan measures it.
  double bytes_per_second = 0;
  /// What was learned about the choice on this device (read_model of <heddle/model.hpp>); without
  /// one, and where it is for another device, scalar or number of vectors, the formulas alone
  /// decide. With one every plan looks at the pattern of its matrix.
  std::shared_ptr<const Model> model = nullptr;
  /// Whether to look for column indices out of range, one pass over col_idx, unless
  /// promises.in_range spares it. The row pointer is checked in any case.
  bool check = true;
  /// What you vouch for, so that inspections need not look.
  Promises promises = {};
  /// Whether the inspection holds you to the promises, which costs what they spare and more. By
  /// default in debug builds (without NDEBUG).
  bool check_promises = detail::asserts;
  /// Whether to look for applies of one plan that overlap, which is an error: on a GPU two launches
  /// an apply more. By default in debug builds (without NDEBUG).
  bool check_overlap = detail::asserts;
  /// Says that A is one triangle, with the diagonal, of a symmetric or Hermitian matrix, which is
  /// what the plan then applies. Of a Hermitian matrix the imaginary part of the diagonal is
  /// ignored.
  ///
  /// The plan stores both triangles, and any format runs them: that takes as many bytes as the
  /// whole in CSR, and an offset an entry for new values, beside what the scheme keeps; and a sort
  /// by column to set up. Where max_bytes has no room for that, or a scheme of csb is pinned, a
  /// format applies the triangle as it is, if the plan's list has one that does (TriangleFormats):
  /// on a GPU 8 to 32 times as slow.
  Symmetry symmetry = Symmetry::none;
};

}  // namespace heddle
