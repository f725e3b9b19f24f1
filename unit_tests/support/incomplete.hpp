// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors of a sequential loop, and matrices to factor.
#pragma once

#include <heddle/ilu.hpp>
#include <map>
#include <vector>

#include "../../backends/device.hpp"
#include "../../solvers/ilu/schemes.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/random.hpp"
#include "copy_in.hpp"
#include "shared_factors.hpp"

namespace heddle::test {

#ifdef HEDDLE_FULL_TESTS
using FactorTypes = Every<Scalars, AllIndices, AllBackends>;
#elif defined(HEDDLE_SANITIZED_TESTS) || defined(HEDDLE_EMULATED)
using FactorTypes = Every<std::tuple<double>, UsualIndices, std::tuple<DefaultDevice>>;
#else
using FactorTypes = JoinTuples<
    std::tuple<Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>>,
    InTurn<Types<DefaultDevice, Kokkos::complex<float>, Indices<std::int32_t, std::size_t>>,
           Types<Portable<Kokkos::DefaultExecutionSpace>, double,
                 Indices<std::int32_t, std::int32_t>>>>;
#endif

/// Tolerance of factors against those of the sequential loop, in units of the rounding error.
template <Scalar S>
double tolerance(double of_epsilon = 100) {
  return of_epsilon * static_cast<double>(std::numeric_limits<RealOf<S>>::epsilon());
}

/// Rows of entries, in their stored order.
template <Scalar S>
using HostRows = std::vector<std::vector<std::pair<std::int64_t, S>>>;

/// A matrix of such rows on the device, which owns its arrays; also an operator.
template <class T>
struct OwnedMatrix {
  using Exec = typename T::Exec;
  using Space = typename T::Space;
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  Kokkos::View<Off*, Space> row_ptr;
  Kokkos::View<O*, Space> col_idx;
  Kokkos::View<S*, Space> values;

  OwnedMatrix() = default;
  explicit OwnedMatrix(const HostRows<S>& rows) {
    std::vector<Off> begin(1, Off(0));
    std::vector<O> columns;
    std::vector<S> entries;
    for (const auto& row : rows) {
      for (const auto& [column, value] : row) {
        columns.push_back(static_cast<O>(column));
        entries.push_back(value);
      }
      begin.push_back(static_cast<Off>(columns.size()));
    }
    row_ptr = copy_in<Space>(begin);
    col_idx = copy_in<Space>(columns);
    values = copy_in<Space>(entries);
  }
  Matrix matrix() const {
    const auto n = static_cast<O>(row_ptr.extent(0) - 1);
    return Matrix(n, n, row_ptr, col_idx, values);
  }
};

template <Scalar S>
using WideOf = std::conditional_t<is_complex<S>, Kokkos::complex<double>, long double>;

template <class Wide>
Wide wide_conjugate_of(const Wide& value) {
  if constexpr (std::same_as<Wide, long double>) {
    return value;
  } else {
    return Kokkos::conj(value);
  }
}

/// A row of factors: values by column.
template <Scalar S>
using FactorRows = std::vector<std::map<std::int64_t, WideOf<S>>>;

/// The pattern that options keep of a matrix, with the fill of their levels; by blocks, and by the
/// textbook's rule: lev(i, j) is the lowest lev(i, t) + lev(t, j) + 1.
template <Scalar S>
FactorRows<S> reference_pattern(const HostRows<S>& a, const IluOptions& options) {
  const auto n = static_cast<std::int64_t>(a.size());
  const std::int64_t size = options.block_size, blocks = (n + size - 1) / size;
  const auto part = [&](std::int64_t block) {
    if (!options.partition.empty()) {
      return std::int64_t{options.partition[static_cast<std::size_t>(block * size)]};
    }
    return block * options.subdomains / blocks;
  };
  std::vector<std::map<std::int64_t, int>> level(static_cast<std::size_t>(blocks));
  for (std::int64_t i = 0; i < n; ++i) {
    for (const auto& entry : a[static_cast<std::size_t>(i)]) {
      const std::int64_t from = i / size, to = entry.first / size;
      if (part(from) == part(to)) level[static_cast<std::size_t>(from)][to] = 0;
    }
  }
  for (std::int64_t i = 0; i < blocks; ++i) {
    auto& row = level[static_cast<std::size_t>(i)];
    for (auto t = row.begin(); t != row.end() && t->first < i; ++t) {
      for (const auto& [column, of] : level[static_cast<std::size_t>(t->first)]) {
        if (column <= t->first) continue;
        const int fill = t->second + of + 1;
        if (fill > options.fill_level) continue;
        const auto at = row.try_emplace(column, fill).first;
        at->second = std::min(at->second, fill);
      }
    }
  }
  FactorRows<S> rows(a.size());
  for (std::int64_t i = 0; i < n; ++i) {
    for (const auto& entry : level[static_cast<std::size_t>(i / size)]) {
      for (std::int64_t j = entry.first * size; j < std::min(n, (entry.first + 1) * size); ++j) {
        rows[static_cast<std::size_t>(i)][j] = 0;
      }
    }
    for (const auto& [column, value] : a[static_cast<std::size_t>(i)]) {
      const auto at = rows[static_cast<std::size_t>(i)].find(column);
      if (at != rows[static_cast<std::size_t>(i)].end()) at->second += WideOf<S>(value);
    }
  }
  return rows;
}

/// L without its diagonal and U in one matrix; pivots have the floor options.pivot_floor.
template <Scalar S>
FactorRows<S> reference_lu(const HostRows<S>& a, const IluOptions& options) {
  FactorRows<S> rows = reference_pattern(a, options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto t = rows[i].begin(); t->first < static_cast<std::int64_t>(i); ++t) {
      const auto& above = rows[static_cast<std::size_t>(t->first)];
      t->second /= above.at(t->first);
      for (auto u = above.upper_bound(t->first); u != above.end(); ++u) {
        const auto at = rows[i].find(u->first);
        if (at != rows[i].end()) at->second -= t->second * u->second;
      }
    }
    using std::abs;
    auto& pivot = rows[i].at(static_cast<std::int64_t>(i));
    const auto size = abs(pivot);
    if (size < options.pivot_floor) {
      using Real = std::decay_t<decltype(size)>;
      const auto floor = static_cast<Real>(options.pivot_floor);
      pivot = size > 0 ? pivot * (floor / size) : WideOf<S>(floor);
    }
  }
  return rows;
}

/// L of a matrix with both triangles; real pivots have the floor options.pivot_floor.
template <Scalar S>
FactorRows<S> reference_cholesky(const HostRows<S>& a, const IluOptions& options) {
  FactorRows<S> rows = reference_pattern(a, options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].erase(rows[i].upper_bound(static_cast<std::int64_t>(i)), rows[i].end());
    for (auto& [column, value] : rows[i]) {
      const auto& of = rows[static_cast<std::size_t>(column)];
      for (const auto& [t, entry] : rows[i]) {
        if (t >= column) break;
        const auto at = of.find(t);
        if (at != of.end()) value -= entry * wide_conjugate_of(at->second);
      }
      if (column == static_cast<std::int64_t>(i)) {
        using std::sqrt;
        if constexpr (!is_complex<S>) value = std::max<WideOf<S>>(value, options.pivot_floor);
        value = sqrt(value);
      } else {
        value /= of.at(column);
      }
    }
  }
  return rows;
}

/// The largest difference of factors from those of the sequential loop, relative to the largest of
/// these; 1e30 if the patterns differ.
template <class Matrix, class Rows>
double difference(const Matrix& factors, const Rows& expected) {
  const auto row_ptr = to_host(factors.row_ptr());
  const auto col_idx = to_host(factors.col_idx());
  const auto values = to_host(factors.values());
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    auto k = static_cast<std::size_t>(row_ptr(i));
    if (static_cast<std::size_t>(row_ptr(i + 1)) - k != expected[i].size()) return 1e30;
    for (const auto& [column, value] : expected[i]) {
      if (static_cast<std::int64_t>(col_idx(k)) != column) return 1e30;
      using Wide = std::decay_t<decltype(value)>;
      using std::abs;
      const auto error = static_cast<double>(abs(Wide(values(k)) - value));
      worst = error <= worst ? worst : error;  // NaN counts as largest
      largest = std::max(largest, static_cast<double>(abs(value)));
      ++k;
    }
  }
  return largest > 0 ? worst / largest : worst;
}

/// The rows of tables over factorizations: LU and Cholesky, of matrices in the types T.
template <class T>
struct Lu : T {
  using Matrix = typename OwnedMatrix<T>::Matrix;
  using Plan = IluPlan<typename T::Exec, Matrix>;
  static constexpr const char *scheme = "ilu", *plan = "IluPlan";
  static constexpr bool hermitian = false;
  static auto reference(const HostRows<typename T::Scalar>& rows, const IluOptions& options) {
    return reference_lu(rows, options);
  }
};
template <class T>
struct Cholesky : T {
  using Matrix = typename OwnedMatrix<T>::Matrix;
  using Plan = IcPlan<typename T::Exec, Matrix>;
  static constexpr const char *scheme = "ic", *plan = "IcPlan";
  static constexpr bool hermitian = true;
  static auto reference(const HostRows<typename T::Scalar>& rows, const IluOptions& options) {
    return reference_cholesky(rows, options);
  }
};
using RealFactors = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using ComplexFactors =
    Types<DefaultDevice, Kokkos::complex<double>, Indices<std::int32_t, std::int32_t>>;
using RealLu = Lu<RealFactors>;
using RealCholesky = Cholesky<RealFactors>;

/// Rows with random unsorted columns, a strong diagonal and repeated entries; Hermitian on request.
/// Row and column `hub` are full.
template <Scalar S>
HostRows<S> random_rows(std::int64_t n, int entries, bool hermitian, std::uint64_t seed,
                        std::int64_t hub = -1) {
  Random random(seed);
  HostRows<S> rows(static_cast<std::size_t>(n));
  const auto add = [&](std::int64_t i, std::int64_t j) {
    if (i == j) return;
    const S entry = random.scalar<S>();
    rows[static_cast<std::size_t>(i)].emplace_back(j, entry);
    if (hermitian) rows[static_cast<std::size_t>(j)].emplace_back(i, conjugate(entry));
  };
  for (std::int64_t i = 0; i < n; ++i) {
    for (int e = 0; e < entries; ++e) {
      add(i, random.below(n));
    }
    if (hub >= 0) {
      add(hub, i);
      if (!hermitian) add(i, hub);
    }
  }
  for (std::int64_t i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    const auto strong = static_cast<RealOf<S>>(1 + row.size());
    row.insert(row.begin() + random.below(static_cast<std::int64_t>(row.size()) + 1),
               {i, S(strong)});
    row.emplace_back(i, S(RealOf<S>(0.5)));
  }
  return rows;
}

/// Rows with ascending columns, without repeats.
template <Scalar S>
HostRows<S> ascending(const HostRows<S>& rows) {
  HostRows<S> sorted(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::map<std::int64_t, S> sums;
    for (const auto& [column, value] : rows[i]) sums[column] += value;
    sorted[i].assign(sums.begin(), sums.end());
  }
  return sorted;
}

/// The exact schemes of a factorization on the device of a test, or the others; `name` is that of
/// the plan.
template <ExecutionSpace Exec>
std::vector<Scheme> factor_schemes(const char* name, bool exact = true) {
  std::vector<Scheme> schemes =
      variants_of(heddle::detail::ilu::grammar(name, backends::describe(Exec())));
  std::erase_if(schemes, [&](const Scheme& scheme) { return scheme.has("sweeps") == exact; });
  return schemes;
}

}  // namespace heddle::test
