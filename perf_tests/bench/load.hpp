// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <heddle/core/files/read_matrix.hpp>
#include <heddle/core/matrix.hpp>
#include <limits>

#include "generate.hpp"
#include "random.hpp"
#include "request.hpp"

namespace heddle::bench {

/// Uniform in [-1, 1), both parts of a complex number.
template <Scalar S>
S random_scalar(Random& random) {
  const auto draw = [&] { return 2 * random.uniform() - 1; };
  if constexpr (is_complex<S>) {
    using Real = typename S::value_type;
    const auto real = static_cast<Real>(draw());
    return S(real, static_cast<Real>(draw()));
  } else {
    return static_cast<S>(draw());
  }
}

template <class View>
void fill_random(const View& view, Random& random) {
  for (std::size_t k = 0; k < view.extent(1); ++k) {
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      view(i, k) = random_scalar<typename View::non_const_value_type>(random);
    }
  }
}

template <Scalar S, Offset Off>
using HostStorage = CsrStorage<S, std::int32_t, Off, Kokkos::HostSpace>;

template <Scalar S, Offset Off>
HostStorage<S, Off> load_generated(const std::string& text, std::uint64_t seed) {
  const Pattern pattern = generate(text, seed);
  if (pattern.nonzeros() > static_cast<std::int64_t>(std::numeric_limits<Off>::max())) {
    throw Error(text + " has " + std::to_string(pattern.nonzeros()) + " nonzeros",
                "use --offset 64");
  }
  HostStorage<S, Off> storage(
      Kokkos::DefaultHostExecutionSpace(), static_cast<std::int32_t>(pattern.rows),
      static_cast<std::int32_t>(pattern.columns), static_cast<Off>(pattern.nonzeros()));
  for (std::size_t i = 0; i < pattern.row_ptr.size(); ++i) {
    storage.row_ptr()(i) = static_cast<Off>(pattern.row_ptr[i]);
  }
  Random random(seed + 1);
  for (std::size_t k = 0; k < pattern.col_idx.size(); ++k) {
    storage.col_idx()(k) = pattern.col_idx[k];
    storage.values()(k) = random_scalar<S>(random);
  }
  return storage;
}

/// The matrix of a source, on the host. A file whose values are all 1, as a pattern's are, gets
/// random ones: with ones alone many a wrong result would go unseen.
template <Scalar S, Offset Off>
HostStorage<S, Off> load(const Source& source, std::uint64_t seed) {
  if (source.generated) return load_generated<S, Off>(source.text, seed);
  const auto storage =
      read_matrix<S, std::int32_t, Off>(source.text, {.duplicates = Duplicates::add});
  const auto values = storage.values();
  const auto count = static_cast<std::size_t>(storage.nonzeros());
  const bool all_one =
      std::all_of(values.data(), values.data() + count, [](const S& v) { return v == S(1); });
  if (all_one) {
    Random random(seed + 1);
    for (std::size_t k = 0; k < count; ++k) values(k) = random_scalar<S>(random);
  }
  return storage;
}

}  // namespace heddle::bench
