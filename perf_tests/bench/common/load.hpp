// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "../../../core/files/read_matrix.hpp"
#include "../../../testing/generate.hpp"
#include "../../../testing/matrices.hpp"
#include "order_rows.hpp"
#include "results.hpp"
#include "source.hpp"
#include "timing.hpp"

namespace heddle::bench {

template <Scalar S, Offset Off>
using HostStorage = CsrStorage<S, std::int32_t, Off, Kokkos::HostSpace>;

template <Scalar S, Offset Off>
struct Loaded {
  HostStorage<S, Off> matrix;
  /// Whether the values are the source's own. Most generated matrices get random values, and so do
  /// files whose values are all 1, such as patterns: with ones many wrong results would go unseen.
  bool own_values = false;
  /// Coordinates of the nodes of a generated elastic body, node by node; else empty.
  std::vector<double> coordinates = {};
  int dimensions = 0;
};

template <Scalar S, Offset Off>
Loaded<S, Off> generate_and_load(const std::string& text, std::uint64_t seed) {
  test::Assembled made = test::generate_system(text, seed);
  if (made.nonzeros() > static_cast<std::int64_t>(std::numeric_limits<Off>::max())) {
    throw Error(text + " has " + std::to_string(made.nonzeros()) + " nonzeros", "use --offset 64");
  }
  const auto storage = test::make_matrix<S, std::int32_t, Off>(made, test::Random(seed + 1));
  for (std::size_t k = 0; k < made.values.size(); ++k) {
    storage.values()(k) = S(static_cast<RealOf<S>>(made.values[k]));
  }
  return {storage, made.own_values(), std::move(made.coordinates), made.dimensions};
}
template <Scalar S, Offset Off>
HostStorage<S, Off> load_generated(const std::string& text, std::uint64_t seed) {
  return generate_and_load<S, Off>(text, seed).matrix;
}

template <Scalar S, Offset Off>
Loaded<S, Off> load_as_it_is(const Source& source, std::uint64_t seed) {
  if (source.generated) return generate_and_load<S, Off>(source.text, seed);
  const auto storage =
      read_matrix<S, std::int32_t, Off>(source.text, {.duplicates = Duplicates::add});
  const auto values = storage.values();
  const auto count = static_cast<std::size_t>(storage.nonzeros());
  const bool all_one =
      std::all_of(values.data(), values.data() + count, [](const S& v) { return v == S(1); });
  if (all_one) {
    test::Random random(seed + 1);
    for (std::size_t k = 0; k < count; ++k) values(k) = random.scalar<S>();
  }
  return {storage, !all_one, {}, 0};
}

/// The matrix of a source, on the host, in the order that the source names. Throws Error if it is
/// to be reordered and is not square.
template <Scalar S, Offset Off>
Loaded<S, Off> load(const Source& source, std::uint64_t seed) {
  Loaded<S, Off> loaded = load_as_it_is<S, Off>(source, seed);
  if (source.order.empty()) return loaded;
  // Coordinates would be in the source's own order, so they are dropped.
  return {in_order(loaded.matrix, source.order, seed), loaded.own_values};
}

/// Returns the host's CSR matrix that load_matrix() makes of a source; its facts go to `result`.
template <class LoadMatrix>
auto load_into(MatrixResult& result, const Source& source, Progress& progress,
               const LoadMatrix& load_matrix) {
  result.source = source.text;
  result.name = source.short_name();
  progress.task(result.name + (source.generated ? ": generating" : ": reading"));
  const double begin = host_seconds();
  const auto matrix = load_matrix();
  result.prepare_seconds = host_seconds() - begin;
  result.picture = picture_of(matrix.matrix());
  using Matrix = decltype(matrix.matrix());
  const auto nonzeros = static_cast<std::size_t>(matrix.nonzeros());
  result.csr_bytes =
      nonzeros * (sizeof(typename Matrix::scalar_type) + sizeof(typename Matrix::ordinal_type)) +
      (static_cast<std::size_t>(matrix.rows()) + 1) * sizeof(typename Matrix::offset_type);
  return matrix;
}

}  // namespace heddle::bench
