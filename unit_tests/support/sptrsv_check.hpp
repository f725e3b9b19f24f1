// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of stress tests of triangular solves.
#pragma once

#include <map>

#include "triangles.hpp"

namespace heddle::test {

/// Schemes of a device: all of a kind with few schemes, and some 60 of a kind with many, among them
/// each value of each parameter; other ones for another `start`.
inline std::vector<Scheme> sptrsv_samples(const Device& device, std::size_t start) {
  constexpr std::size_t most = emulated ? 2 : 60;
  std::map<std::string, std::vector<Scheme>> kinds;
  for (const Scheme& scheme : sptrsv_variants(device)) {
    kinds[scheme.terms().front().key].push_back(scheme);
  }
  std::vector<Scheme> samples;
  for (const auto& [kind, all] : kinds) {
    const std::size_t size = all.size();
    // Coprime to the size, a product of small numbers: no value of a parameter is skipped.
    const std::size_t step = size <= most ? 1 : 1237;
    for (std::size_t i = 0; i < std::min(size, most); ++i) {
      samples.push_back(all[(start + i * step) % size]);
    }
  }
  return samples;
}

/// A plan for one of a device's schemes; a pass has at most four right-hand sides.
template <class T>
auto plan_of(const typename T::Exec& exec, const DeviceMatrix<T>& A, const Scheme& scheme,
             Triangle triangle = Triangle::lower) {
  const SptrsvOptions options{.triangle = triangle, .scheme = scheme, .vectors = {.count = 4}};
  return typename T::template Plan<>(exec, A.matrix(), options);
}

/// The residual after a solve with random right-hand sides and poisoned x.
template <class T, class Plan>
double solve_randomly(const typename T::Exec& exec, Plan& plan, const DeviceMatrix<T>& A,
                      Triangle triangle, int vectors, std::uint64_t seed) {
  using S = typename T::Scalar;
  const auto n = static_cast<std::size_t>(A.host.rows());
  const auto b = random_vectors<S>(n, static_cast<std::size_t>(vectors), true, seed);
  const auto b_device = b.template in<typename T::Space>();
  const Vectors<S, typename T::Space> x(n, static_cast<std::size_t>(vectors), true);
  fill_with_poison(x.data());
  plan.apply(exec, S(1), b_device.view(), x.view());
  exec.fence("heddle::test::solved");
  const auto stored = triangle_of(A.host, triangle, Diagonal::stored);
  return residual(stored, Op::none, x.template in<Kokkos::HostSpace>().view(), S(1), b.view());
}

/// Many more rows than a device runs at once; fewer on CPUs, which have few threads.
template <ExecutionSpace Exec>
constexpr std::int64_t more_rows_than_run() {
  if (emulated) return 2500;
  return backends::has_lanes<Exec> ? 1000000 : 20000;
}

/// Triangles of about `rows` rows: a chain, a grid, and wide levels.
inline Pattern long_chain(std::int64_t rows) { return lower_band("long chain", rows, {1}); }
inline Pattern large_grid(std::int64_t rows) {
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) <= rows) ++side;
  return lower_pattern("large grid", side * side, [=](std::int64_t i) {
    std::vector<std::int64_t> row;
    if (i >= side) row.push_back(i - side);
    if (i % side > 0) row.push_back(i - 1);
    return row;
  });
}
inline Pattern large_random(std::int64_t rows) {
  Random random(17);
  return lower_pattern("large and random", rows, [&](std::int64_t i) {
    return random_row(random, i, std::min<std::int64_t>(i, 5));
  });
}

}  // namespace heddle::test
