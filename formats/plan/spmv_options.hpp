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

/// Options of a plan. Every default is sensible.
struct SpmvOptions {
  /// Pins the scheme; by default `choose` selects one. The inspector resolves parameters that are
  /// left out: see SpmvPlan::scheme.
  std::optional<Scheme> scheme = std::nullopt;
  /// Pins the scheme of the stored transpose, if there is one.
  std::optional<Scheme> transposed_scheme = std::nullopt;
  /// Number of applies that the plan is made for: more of them justify a longer inspection.
  std::int64_t expected_applies = 1000;
  /// The vectors that x will hold. Any other number works too. If several vectors in LayoutLeft are
  /// expected, schemes that gain by it reserve memory to pack them side by side.
  ExpectedVectors vectors = {};
  /// Ops that will be applied besides Op::none. The plan prepares them; SpmvPlan::prepare can
  /// prepare others later.
  std::vector<Op> ops = {};
  /// Restricts the choice to schemes that read the user's values in place, for `ops` too. A stored
  /// transpose never does; transpose=atomics does, but it is slower and not reproducible.
  bool values_in_place = false;
  /// The most device memory, in bytes, that the plan may keep beyond the matrix, a stored transpose
  /// included: bytes() never exceeds it. The choice skips schemes that are predicted to keep more,
  /// and drops one that turns out to. The bound does not include temporary memory of an inspection.
  std::size_t max_bytes = no_bound;
  /// Seconds that the plan may spend on measuring the schemes with the best predictions, their
  /// inspections included; it keeps the fastest. 0: the plan relies on the predictions. At least
  /// two schemes are measured, even if that takes longer. Two plans of one matrix may then get
  /// different schemes. Ignored if the scheme is pinned. Infinite is an Error.
  double measure_seconds = 0;
  /// A file that keeps the results of measure_seconds, by pattern, device, number of threads, list
  /// of formats and options; empty: none. If the file knows the matrix, the plan uses its scheme
  /// and measures nothing, whatever measure_seconds is. A plan that measures adds its result.
  /// Several programs may share the file. If it cannot be read or written, or is another kind of
  /// file, the plan ignores it, and explain() says so. The file holds no values of the matrix.
  std::string cache = {};
  /// Bytes per second that the choice assumes for the device's memory, for instance what
  /// `heddle-bench device` measures for a copy. 0: Device::bytes_per_second, which comes from the
  /// device's name or properties; no plan measures it.
  double bytes_per_second = 0;
  /// A model of the choice on this device (read_model of <heddle/model.hpp>). Without one, or if it
  /// is for another device, scalar or number of vectors, the formulas alone decide. With a model
  /// every plan reads the pattern of its matrix. The same model has the lanes of csr/blocks.
  std::shared_ptr<const Model> model = nullptr;
  /// Whether column indices are checked: one pass over col_idx, which promises.in_range saves. The
  /// row pointer is always checked.
  bool check = true;
  /// Properties of the matrix that you guarantee, so that inspections need not check them.
  Promises promises = {};
  /// Whether the inspection checks the promises, which costs more than they save. Default: in debug
  /// builds (without NDEBUG).
  bool check_promises = detail::asserts;
  /// Whether overlapping applies of one plan, which are an error, are detected: on a GPU two more
  /// launches for each apply. Default: in debug builds (without NDEBUG).
  bool check_overlap = detail::asserts;
  /// Declares that A holds one triangle, with the diagonal, of a symmetric or Hermitian matrix. The
  /// plan then applies the whole matrix. For a Hermitian matrix the imaginary part of the diagonal
  /// is ignored.
  ///
  /// The plan stores both triangles, and any format runs them. That takes the bytes of the whole
  /// matrix in CSR, and one offset for each entry for new values, beside what the scheme keeps; the
  /// set-up sorts by column. If max_bytes has no room for that, or a scheme of csb is pinned, a
  /// format that supports it applies the triangle as it is (TriangleFormats): on a GPU 8 to 32
  /// times as slow.
  Symmetry symmetry = Symmetry::none;
};

}  // namespace heddle
