// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of a plan of a product.
#pragma once

#include <heddle/spmv.hpp>
#include <sstream>

#include "draw_pattern.hpp"

namespace heddle::test {

/// Promises are kept, and `bytes` are about those of the matrix. An op that needs a transpose is
/// requested here, or left to a later prepare.
inline SpmvOptions draw_spmv_options(Random& random, const std::vector<Scheme>& schemes,
                                     const Promises& kept, Op op, Symmetry symmetry,
                                     std::int64_t bytes) {
  SpmvOptions options;
  if (!once_in(random, 8)) options.scheme = one_of(random, schemes);
  if (once_in(random, 4)) options.transposed_scheme = one_of(random, schemes);
  options.vectors = {once_in(random, 2) ? 1 : static_cast<int>(1 + random.below(40)),
                     !once_in(random, 3)};
  options.expected_applies = once_in(random, 2) ? 1 : 1000;
  if (transposes(op) && !once_in(random, 3)) options.ops = {op};
  options.symmetry = symmetry;
  const bool op_is_known = !transposes(op) || !options.ops.empty();
  if (!options.scheme && op_is_known && symmetry == Symmetry::none) {
    options.values_in_place = once_in(random, 4);
  }
  if (once_in(random, 4)) {
    const std::int64_t most[] = {1, 5000, bytes, 3 * bytes};
    options.max_bytes = static_cast<std::size_t>(random.below(1 + one_of(random, most)));
  }
  options.check = !once_in(random, 3);
  const auto promise = [&](bool holds) { return holds && once_in(random, 3); };
  options.promises = {promise(kept.in_range), promise(kept.sorted)};
  options.check_promises = once_in(random, 4);
  options.check_overlap = once_in(random, 4);
  return options;
}

inline std::string in_words(const SpmvOptions& options) {
  std::ostringstream text;
  text << (options.scheme ? options.scheme->to_string() : "chosen") << " for "
       << options.vectors.count << " vectors"
       << (options.vectors.apart ? " apart" : " side by side") << ", " << options.expected_applies
       << " applies";
  if (options.transposed_scheme) {
    text << ", transposed " << options.transposed_scheme->to_string();
  }
  for (const Op op : options.ops) text << ", with op " << name(op);
  if (options.values_in_place) text << ", values in place";
  if (options.max_bytes != no_bound) text << ", at most " << options.max_bytes << " bytes";
  const Promises& promises = options.promises;
  if (promises.in_range) text << ", in range";
  if (promises.sorted) text << ", sorted";
  if (!options.check) text << ", unchecked";
  if (options.check_promises) text << ", promises checked";
  if (options.check_overlap) text << ", overlap checked";
  return text.str();
}

}  // namespace heddle::test
