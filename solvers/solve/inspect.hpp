// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "../../backends/atomics.hpp"
#include "../../backends/host/one_thread.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/profiled_kernel.hpp"
#include "../../core/arena.hpp"
#include "../../core/hash.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/inspect/pattern.hpp"
#include "../krylov/concepts.hpp"
#include "../krylov/symmetry.hpp"
#include "../triangle/triangle.hpp"
#include "../vectors/operations.hpp"
#include "report.hpp"

/// How a solve sees what A is: passes over the entries, and Lanczos or Arnoldi steps.
namespace heddle::detail::solve {

/// Largest block size that the inspection looks for.
inline constexpr int most_block_rows = 6;
/// With fewer rows and entries together the inspection takes one thread of a CPU, since on a busy
/// machine each of its some hundred launches would wait for the others: a guess.
inline constexpr std::int64_t rows_and_entries_of_one_thread = 1 << 15;
/// A row is long if it has more entries than this, and 8 times as many as rows have in the mean.
inline constexpr std::int64_t least_long_row = 256;
/// Parts of a long row, each of which a thread reads: a guess.
inline constexpr std::int64_t parts_of_long_row = 64;
/// Entries of the longest row that is compared with those beside it.
inline constexpr std::int64_t longest_compared_row = 512;

/// Whether the inspection takes one thread. Bits do not depend on it.
template <ExecutionSpace Exec>
bool takes_one_thread(std::int64_t rows, std::int64_t entries) {
  return backends::runs_on_host<Exec> && backends::detail::small_plans_take_one_thread &&
         rows + entries < rows_and_entries_of_one_thread;
}
/// Reduces body(i, sum) over i < n, on the calling thread while a OneThread is wanted.
template <ExecutionSpace Exec, class Body, class Sum>
void reduce(const Exec& exec, const char* label, std::int64_t n, const Body& body, Sum& sum) {
  if constexpr (backends::runs_on_host<Exec>) {
    if (backends::OneThread::is_wanted()) {
      const backends::ProfiledKernel profiled(exec, label);
      body.init(sum);
      for (std::int64_t i = 0; i < n; ++i) body(i, sum);
      return;
    }
  }
  Kokkos::parallel_reduce(label, range_policy(exec, n), body, sum);
}

/// Numbers of the rows that a pass adds up.
struct RowNumbers {
  std::int64_t not_finite = nowhere;
  std::int64_t empty = 0, zero_diagonal = 0, negative_diagonal = 0, dominant = 0, zero_sums = 0;
  std::int64_t positive_entries = 0, bandwidth = 0, long_rows = 0;
  std::int64_t alike[most_block_rows + 1] = {};  ///< by block size: block rows with equal columns
  double least_diagonal = Kokkos::Experimental::infinity_v<double>, largest_diagonal = 0;
  double largest_row_sum = 0;  ///< of magnitudes
  double least_dominance = Kokkos::Experimental::infinity_v<double>;
  /// Sum of hashes of the places (i, j) below the diagonal, less that of (j, i) above it: zero for
  /// a symmetric pattern.
  std::uint64_t unmirrored = 0;
  std::uint64_t unmirrored_values = 0;  ///< the same of places with values, of a Hermitian A

  KOKKOS_FUNCTION void join(const RowNumbers& more) {
    not_finite = Kokkos::min(not_finite, more.not_finite);
    empty += more.empty;
    zero_diagonal += more.zero_diagonal;
    negative_diagonal += more.negative_diagonal;
    dominant += more.dominant;
    zero_sums += more.zero_sums;
    positive_entries += more.positive_entries;
    bandwidth = Kokkos::max(bandwidth, more.bandwidth);
    long_rows += more.long_rows;
    for (int b = 0; b <= most_block_rows; ++b) alike[b] += more.alike[b];
    least_diagonal = Kokkos::min(least_diagonal, more.least_diagonal);
    largest_diagonal = Kokkos::max(largest_diagonal, more.largest_diagonal);
    largest_row_sum = Kokkos::max(largest_row_sum, more.largest_row_sum);
    least_dominance = Kokkos::min(least_dominance, more.least_dominance);
    unmirrored += more.unmirrored;
    unmirrored_values += more.unmirrored_values;
  }
};

/// Arrays of n entries that the inspection fills and preconditioners read.
template <Scalar S>
struct DiagonalArrays {
  S* inverse;  ///< 1 / a(i, i); the reciprocal of the row's sum of magnitudes if that is not finite
  S* of_magnitude;  ///< the magnitude of `inverse`: positive
  S* entry;         ///< the reciprocal of of_magnitude
  double* row_sum;  ///< sum of magnitudes of the row
};

/// The bits of a value, mixed.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bits_of(const S& value) {
  if constexpr (is_complex<S>) {
    return hash_of(bits_of(value.real())) + bits_of(value.imag());
  } else {
    return Kokkos::bit_cast<std::uint64_t>(static_cast<double>(value));
  }
}

/// Counts entries that are NaN or infinity.
template <Scalar S>
struct CountNotFinite {
  const S* entries;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    if (!triangle::is_finite(entries[i])) ++count;
  }
};

template <class Matrix>
struct ReadRows {
  using value_type = RowNumbers;
  using S = typename Matrix::scalar_type;
  using Real = heddle::RealOf<S>;
  Matrix A;
  DiagonalArrays<S> to;
  std::int64_t longest;  ///< longer rows are counted alone

  /// Sums over entries of a row.
  struct Part {
    S diagonal, sum;
    double magnitudes;
    bool finite;
  };

  KOKKOS_FUNCTION void init(RowNumbers& of) const { of = RowNumbers(); }
  KOKKOS_FUNCTION void join(RowNumbers& of, const RowNumbers& more) const { of.join(more); }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t length(std::int64_t i) const {
    return static_cast<std::int64_t>(A.row_ptr().data()[i + 1] - A.row_ptr().data()[i]);
  }
  /// The columns of a row in any order: their sum of hashes, and the first one.
  struct Columns {
    std::uint64_t hashes;
    std::int64_t first;
  };
  KOKKOS_FORCEINLINE_FUNCTION Columns columns_of(std::int64_t i) const {
    Columns of{0, static_cast<std::int64_t>(A.columns())};
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
      of.hashes += hash_of(static_cast<std::uint64_t>(j));
      of.first = Kokkos::min(of.first, j);
    }
    return of;
  }
  /// Counts the aligned blocks of rows that begin at row i and have the same columns, from an
  /// aligned one on.
  KOKKOS_FORCEINLINE_FUNCTION void compare_rows(std::int64_t i, RowNumbers& of) const {
    const std::int64_t own = length(i);
    const bool dense = own == static_cast<std::int64_t>(A.columns());  // dense rows are alike
    if (own == 0 || dense || own > longest_compared_row) return;
    for (int b = 2; b <= most_block_rows; ++b) {
      if (i % b != 0 || i + b > A.rows() || own % b != 0) continue;
      const Columns columns = columns_of(i);
      bool same = columns.first % b == 0;
      for (int k = 1; same && k < b; ++k) {
        same = length(i + k) == own && columns_of(i + k).hashes == columns.hashes;
      }
      if (same) ++of.alike[b];
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, RowNumbers& of) const {
    if (length(i) > longest) {
      ++of.long_rows;
      return;
    }
    end_row(i, read(i, 0, length(i), of), of);
  }
  /// Reads entries `begin` to `end` of row i.
  KOKKOS_FORCEINLINE_FUNCTION Part read(std::int64_t i, std::int64_t begin, std::int64_t end,
                                        RowNumbers& of) const {
    Part part{S(0), S(0), 0, true};
    const auto row = static_cast<std::int64_t>(A.row_ptr().data()[i]);
    for (std::int64_t k = row + begin; k < row + end; ++k) {
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
      const S value = A.values().data()[k];
      part.sum += value;
      part.finite = part.finite && triangle::is_finite(value);
      part.magnitudes += static_cast<double>(Kokkos::abs(value));
      of.bandwidth = Kokkos::max(of.bandwidth, i < j ? j - i : i - j);
      if (i == j) {
        part.diagonal += value;
        continue;
      }
      if (real_part(value) > 0) ++of.positive_entries;
      const auto low = static_cast<std::uint64_t>(i < j ? i : j);
      const auto high = static_cast<std::uint64_t>(i < j ? j : i);
      const std::uint64_t place = hash_of(hash_of(low) + high);
      const std::uint64_t with_value = hash_of(place ^ bits_of(i < j ? value : conjugate(value)));
      of.unmirrored += i < j ? ~place + 1 : place;
      of.unmirrored_values += i < j ? ~with_value + 1 : with_value;
    }
    return part;
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_row(std::int64_t i, const Part& part, RowNumbers& of) const {
    constexpr double epsilon = Kokkos::Experimental::epsilon_v<Real>;
    const S diagonal = part.diagonal, sum = part.sum;
    const double magnitudes = part.magnitudes;
    compare_rows(i, of);
    const auto size = static_cast<double>(Kokkos::abs(diagonal));
    const auto real = static_cast<double>(real_part(diagonal));
    if (!part.finite) of.not_finite = Kokkos::min(of.not_finite, i);
    if (length(i) == 0) ++of.empty;
    of.largest_row_sum = Kokkos::max(of.largest_row_sum, magnitudes);
    // The rounding of a sum, and of a diagonal that is one.
    const double rounding = epsilon * static_cast<double>(Kokkos::min(length(i), std::int64_t{32}));
    const bool zero_sum = static_cast<double>(Kokkos::abs(sum)) <= rounding * magnitudes;
    if (zero_sum && Kokkos::isfinite(magnitudes)) ++of.zero_sums;
    if (size >= (magnitudes - size) * (1 - 32 * epsilon)) ++of.dominant;
    of.least_dominance =
        Kokkos::min(of.least_dominance, size > 0 ? (2 * size - magnitudes) / size
                                                 : -Kokkos::Experimental::infinity_v<double>);
    if (size > 0) {
      of.least_diagonal = Kokkos::min(of.least_diagonal, size);
      of.largest_diagonal = Kokkos::max(of.largest_diagonal, size);
      if (!(real > 0)) ++of.negative_diagonal;
    } else {
      ++of.zero_diagonal;
    }
    S inverse = S(1) / diagonal;
    if (!Kokkos::isfinite(static_cast<double>(Kokkos::abs(inverse))) || inverse == S(0)) {
      inverse = S(static_cast<Real>(1 / magnitudes));
    }
    if (!Kokkos::isfinite(static_cast<double>(Kokkos::abs(inverse))) || inverse == S(0)) {
      inverse = S(1);
    }
    const S of_magnitude = S(static_cast<Real>(Kokkos::abs(inverse)));
    to.inverse[i] = inverse;
    to.of_magnitude[i] = of_magnitude;
    to.entry[i] = S(1) / of_magnitude;
    to.row_sum[i] = magnitudes;
  }
};

/// Lists long rows, in any order.
template <class Matrix>
struct ListLongRows {
  ReadRows<Matrix> rows;
  std::int64_t* count;
  std::int64_t* list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (rows.length(i) > rows.longest) list[backends::atomic_fetch_add(count, std::int64_t(1))] = i;
  }
};
/// Reads a part of a long row.
template <class Matrix>
struct ReadParts {
  using value_type = RowNumbers;
  ReadRows<Matrix> rows;
  const std::int64_t* list;
  typename ReadRows<Matrix>::Part* parts;

  KOKKOS_FUNCTION void init(RowNumbers& of) const { of = RowNumbers(); }
  KOKKOS_FUNCTION void join(RowNumbers& of, const RowNumbers& more) const { of.join(more); }
  KOKKOS_FUNCTION void operator()(std::int64_t at, RowNumbers& of) const {
    const std::int64_t i = list[at / parts_of_long_row], part = at % parts_of_long_row;
    const std::int64_t length = rows.length(i);
    parts[at] = rows.read(i, part * length / parts_of_long_row,
                          (part + 1) * length / parts_of_long_row, of);
  }
};
/// Adds up the parts of a long row in their order.
template <class Matrix>
struct EndLongRows {
  using value_type = RowNumbers;
  ReadRows<Matrix> rows;
  const std::int64_t* list;
  const typename ReadRows<Matrix>::Part* parts;

  KOKKOS_FUNCTION void init(RowNumbers& of) const { of = RowNumbers(); }
  KOKKOS_FUNCTION void join(RowNumbers& of, const RowNumbers& more) const { of.join(more); }
  KOKKOS_FUNCTION void operator()(std::int64_t at, RowNumbers& of) const {
    typename ReadRows<Matrix>::Part whole = parts[at * parts_of_long_row];
    for (std::int64_t part = 1; part < parts_of_long_row; ++part) {
      const auto& more = parts[at * parts_of_long_row + part];
      whole.diagonal += more.diagonal;
      whole.sum += more.sum;
      whole.magnitudes += more.magnitudes;
      whole.finite = whole.finite && more.finite;
    }
    rows.end_row(list[at], whole, of);
  }
};

/// to = sqrt(d) from, with positive d.
template <Scalar S>
struct MultiplyByRoot {
  const S* from;
  const S* d;
  S* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = S(Kokkos::sqrt(real_part(d[i]))) * from[i];
  }
};
/// to = 1 / sqrt(d)
template <Scalar S>
struct InverseRoot {
  const S* d;
  S* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = S(heddle::RealOf<S>(1) / Kokkos::sqrt(real_part(d[i])));
  }
};
template <Scalar S>
struct RandomEntries {
  S* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = S(static_cast<heddle::RealOf<S>>(random_entry(i)));
  }
};

/// Eigenvalues of an n x n Hessenberg matrix h, column after column, by QR steps with shifts.
///
/// Source: G. Golub and C. Van Loan, Matrix Computations (2013), section 7.5.
[[gnu::cold]] inline std::vector<std::complex<double>> hessenberg_eigenvalues(
    int n, std::vector<std::complex<double>> entries) {
  using C = std::complex<double>;
  const auto h = [&](int i, int j) -> C& {
    return entries[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) +
                   static_cast<std::size_t>(i)];
  };
  std::vector<C> values;
  for (int last = n - 1, steps = 0; last >= 0; ++steps) {
    int first = last;
    while (first > 0 &&
           std::abs(h(first, first - 1)) >
               1e-15 * (std::abs(h(first, first)) + std::abs(h(first - 1, first - 1)))) {
      --first;
    }
    if (first == last || steps > 100) {
      values.push_back(h(last, last));
      --last;
      steps = 0;
      continue;
    }
    // The shift is the eigenvalue of the last 2 x 2 block that is nearer to its last entry.
    const C middle = (h(last - 1, last - 1) + h(last, last)) / 2.0;
    const C half = (h(last - 1, last - 1) - h(last, last)) / 2.0;
    const C root = std::sqrt(half * half + h(last - 1, last) * h(last, last - 1));
    const C one = middle + root, other = middle - root;
    C shift = std::abs(one - h(last, last)) < std::abs(other - h(last, last)) ? one : other;
    if (steps % 10 == 9) shift += std::abs(h(last, last - 1));
    for (int k = first; k <= last; ++k) h(k, k) -= shift;
    std::vector<std::pair<C, C>> rotations;
    for (int k = first; k < last; ++k) {
      const C x = h(k, k), y = h(k + 1, k);
      const double size = std::hypot(std::abs(x), std::abs(y));
      const C c = size > 0 ? x / size : C(1), s = size > 0 ? y / size : C(0);
      rotations.emplace_back(c, s);
      for (int j = k; j <= last; ++j) {
        const C above = h(k, j), below = h(k + 1, j);
        h(k, j) = std::conj(c) * above + std::conj(s) * below;
        h(k + 1, j) = c * below - s * above;
      }
    }
    for (int k = first; k < last; ++k) {
      const auto [c, s] = rotations[static_cast<std::size_t>(k - first)];
      for (int i = first; i <= std::min(k + 2, last); ++i) {
        const C left = h(i, k), right = h(i, k + 1);
        h(i, k) = left * c + right * s;
        h(i, k + 1) = right * std::conj(c) - left * std::conj(s);
      }
    }
    for (int k = first; k <= last; ++k) h(k, k) += shift;
  }
  return values;
}

/// Number of Lanczos or Arnoldi steps. More find a least Ritz value that is nearer to the least
/// eigenvalue, and take more of the 5 % of a solve that choosing may take.
inline constexpr int most_steps = 10;

/// to = from / size, with a norm in device memory; zeros if that is zero or NaN.
template <Scalar S>
struct DivideByNorm {
  const S* from;
  const heddle::RealOf<S>* norm;
  S* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = *norm > 0 ? S(heddle::RealOf<S>(1) / *norm) * from[i] : S(0);
  }
};

/// Sets the Ritz values of `facts` by steps with D^-1/2 A D^-1/2, which has the eigenvalues of D^-1
/// A: Lanczos steps if A is symmetric, which orthogonalize against two vectors alone, else Arnoldi
/// steps, which orthogonalize twice. Allocates 4 vectors for Lanczos and 13 for Arnoldi steps,
/// queues all steps, and waits once. Without room for four vectors in max_bytes it does nothing.
template <ExecutionSpace Exec, Scalar S, class Product>
void find_ritz_values(const Exec& exec, const Product& product, const S* of_magnitude,
                      std::size_t max_bytes, MatrixFacts& facts) {
  using C = std::complex<double>;
  using Real = heddle::RealOf<S>;
  using Space = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const auto n = static_cast<std::size_t>(facts.rows);
  const std::size_t room = max_bytes / sizeof(S) / std::max<std::size_t>(n, 1);
  const std::size_t roomy = facts.symmetric ? (room < 4 ? 0 : room) : room > 4 ? room - 3 : 0;
  const auto steps = static_cast<int>(std::min({std::size_t{most_steps}, n, roomy}));
  if (steps == 0) return;
  const backends::OneThread alone(takes_one_thread<Exec>(facts.rows, facts.entries));
  const auto columns = static_cast<std::size_t>(steps) + 1;
  const std::size_t kept = facts.symmetric ? 2 : columns;  // columns of the basis in memory
  const std::size_t count_of_numbers = 2 * columns * static_cast<std::size_t>(steps);
  S *basis, *scaled, *next, *numbers;
  Real* norms;
  const VectorWorkspace<Exec, S> workspace(exec, steps + 1);
  const Arena<Space> memory(exec, "heddle::solve::basis", arena_array(basis, n * kept),
                            arena_array(scaled, n), arena_array(next, n),
                            arena_array(numbers, count_of_numbers), arena_array(norms, columns));
  const auto vector = [&](S* at) { return SolverVector<Exec, S>(at, n); };
  const auto column = [&](int j) { return basis + n * (static_cast<std::size_t>(j) % kept); };
  const auto numbers_of = [&](int j) {
    return numbers + 2 * columns * static_cast<std::size_t>(j);
  };
  const auto rows = static_cast<std::int64_t>(n);
  // Scales a vector to norm one in column j, and keeps its norm before.
  const auto normalize = [&](S* from, int j) {
    heddle::vectors::norm(exec, vector(from), workspace,
                          Kokkos::View<Real, Space, Unmanaged>(norms + j));
    parallel_for(exec, "heddle::solve::normalize", rows,
                 DivideByNorm<S>{from, norms + j, column(j)});
  };
  parallel_for(exec, "heddle::solve::clear", static_cast<std::int64_t>(count_of_numbers),
               Fill<S>{numbers, S(0)});
  parallel_for(exec, "heddle::solve::random", rows, RandomEntries<S>{next});
  if (facts.maps_ones_to_zero()) {  // leave out the eigenvector of zero
    parallel_for(exec, "heddle::solve::nullvector", rows, InverseRoot<S>{of_magnitude, scaled});
    normalize(scaled, 1);
    heddle::vectors::dot(exec, vector(column(1)), vector(next), workspace,
                         Kokkos::View<S, Space, Unmanaged>(numbers));
    heddle::vectors::combine(exec, S(-1), vector(column(1)),
                             Kokkos::View<S*, Space, Unmanaged>(numbers, 1), S(1), vector(next));
  }
  normalize(next, 0);
  for (int j = 0; j < steps; ++j) {
    parallel_for(exec, "heddle::solve::scale", rows,
                 MultiplyByRoot<S>{column(j), of_magnitude, scaled});
    product(vector(scaled), vector(next));
    parallel_for(exec, "heddle::solve::scale", rows, MultiplyByRoot<S>{next, of_magnitude, next});
    const std::size_t count = std::min(static_cast<std::size_t>(j) + 1, kept);
    const krylov::SolverVectors<Exec, S> before(basis, n, count);
    for (int time = 0; time < (facts.symmetric ? 1 : 2); ++time) {
      const Kokkos::View<S*, Space, Unmanaged> along(
          numbers_of(j) + columns * static_cast<std::size_t>(time), count);
      heddle::vectors::inner_products(exec, before, vector(next), workspace, along);
      heddle::vectors::combine(exec, S(-1), before, along, S(1), vector(next));
    }
    normalize(next, j + 1);
  }
  std::vector<S> products(count_of_numbers);
  std::vector<Real> sizes(columns);
  Kokkos::deep_copy(
      kokkos_space(exec),
      Kokkos::View<S*, Kokkos::HostSpace, Unmanaged>(products.data(), count_of_numbers),
      Kokkos::View<const S*, Space, Unmanaged>(numbers, count_of_numbers));
  Kokkos::deep_copy(kokkos_space(exec),
                    Kokkos::View<Real*, Kokkos::HostSpace, Unmanaged>(sizes.data(), columns),
                    Kokkos::View<const Real*, Space, Unmanaged>(norms, columns));
  exec.fence("heddle::solve::ritz_values");
  if (!(sizes[0] > 0)) return;

  std::vector<C> hessenberg(columns * columns);
  const auto at = [&](int i, int j) -> C& {
    return hessenberg[static_cast<std::size_t>(j) * columns + static_cast<std::size_t>(i)];
  };
  constexpr double rounding = 100 * Kokkos::Experimental::epsilon_v<Real>;
  int done = 0;
  double largest = 0;
  for (int j = 0; j < steps; ++j) {
    const int count = std::min(j + 1, static_cast<int>(kept));
    for (int slot = 0; slot < count; ++slot) {
      // The two slots of Lanczos steps hold columns j - 1 and j in turn.
      const int i = facts.symmetric && slot != j % 2 ? j - 1 : facts.symmetric ? j : slot;
      const std::size_t k =
          2 * columns * static_cast<std::size_t>(j) + static_cast<std::size_t>(slot);
      const S number = products[k] + products[columns + k];
      if constexpr (is_complex<S>) {
        at(i, j) = C(number.real(), number.imag());
      } else {
        at(i, j) = C(number, 0);
      }
      largest = std::max(largest, std::abs(at(i, j)));
    }
    const auto size = static_cast<double>(sizes[static_cast<std::size_t>(j) + 1]);
    at(j + 1, j) = size;
    done = j + 1;
    if (!std::isfinite(size)) return;
    if (!(size > rounding * largest)) break;  // an invariant space: the values are exact
  }
  const auto values_of = [&](int size) {
    std::vector<C> part(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) part[static_cast<std::size_t>(j * size + i)] = at(i, j);
    }
    return hessenberg_eigenvalues(size, part);
  };
  const auto least = [](const std::vector<C>& values) {
    double smallest = std::numeric_limits<double>::infinity();
    for (const C& value : values) smallest = std::min(smallest, std::abs(value));
    return smallest;
  };
  const std::vector<C> values = values_of(done);
  facts.steps = done;
  facts.least_real = facts.largest_real = values.front().real();
  facts.largest_imaginary = facts.largest_magnitude = 0;
  for (const C& value : values) {
    facts.least_real = std::min(facts.least_real, value.real());
    facts.largest_real = std::max(facts.largest_real, value.real());
    facts.largest_imaginary = std::max(facts.largest_imaginary, std::abs(value.imag()));
    facts.largest_magnitude = std::max(facts.largest_magnitude, std::abs(value));
  }
  facts.least_magnitude = least(values);
  const bool all = done < steps || done == facts.rows;  // values of the whole matrix, or a part
  facts.settled = all || done < 4 || facts.least_magnitude > 0.7 * least(values_of(done / 2));
}

/// Reads the rows that a first pass found to be long, a thread for each part of them.
template <ExecutionSpace Exec, class Matrix>
RowNumbers read_long_rows(const Exec& exec, const ReadRows<Matrix>& rows, std::int64_t count) {
  const std::int64_t all = count * parts_of_long_row;
  std::int64_t *listed, *list;
  typename ReadRows<Matrix>::Part* parts;
  const Arena<typename Exec::memory_space> memory(
      exec, "heddle::solve::long_rows", arena_array(listed, 1),
      arena_array(list, static_cast<std::size_t>(count)),
      arena_array(parts, static_cast<std::size_t>(all)));
  parallel_for(exec, "heddle::solve::clear", 1, Fill<std::int64_t>{listed, 0});
  parallel_for(exec, "heddle::solve::list_long_rows", rows.A.rows(),
               ListLongRows<Matrix>{rows, listed, list});
  RowNumbers numbers, ended;
  reduce(exec, "heddle::solve::read_parts", all, ReadParts<Matrix>{rows, list, parts}, numbers);
  reduce(exec, "heddle::solve::end_long_rows", count, EndLongRows<Matrix>{rows, list, parts},
         ended);
  numbers.join(ended);
  return numbers;
}

/// Finds what A is, without Ritz values, and fills the arrays. A is square and its pattern checked.
/// One pass over the entries, in which rows that may be a block are read up to six times, and
/// another one unless a real A equals its mirror image bit by bit, each with a thread for a row and
/// a readback that waits. Long rows are read in parts. Not called without rows.
template <ExecutionSpace Exec, class Matrix>
MatrixFacts read_matrix(const Exec& exec, const Matrix& A,
                        const DiagonalArrays<typename Matrix::scalar_type>& to) {
  constexpr double tolerance = 1e-5;  // as MultigridOptions::symmetry_tolerance
  MatrixFacts facts;
  facts.rows = A.rows();
  facts.entries = static_cast<std::int64_t>(A.nonzeros());
  RowNumbers numbers;
  const backends::OneThread alone(takes_one_thread<Exec>(facts.rows, facts.entries));
  const ReadRows<Matrix> read_rows{A, to, std::max(least_long_row, 8 * facts.entries / facts.rows)};
  reduce(exec, "heddle::solve::read_rows", facts.rows, read_rows, numbers);
  if (numbers.long_rows > 0) numbers.join(read_long_rows(exec, read_rows, numbers.long_rows));
  facts.not_finite = numbers.not_finite == nowhere ? -1 : numbers.not_finite;
  facts.symmetric_pattern = numbers.unmirrored == 0;
  facts.empty_rows = numbers.empty;
  facts.zero_diagonal = numbers.zero_diagonal;
  facts.negative_diagonal = numbers.negative_diagonal;
  facts.least_diagonal = numbers.largest_diagonal > 0 ? numbers.least_diagonal : 0;
  facts.largest_diagonal = numbers.largest_diagonal;
  facts.dominant_rows = numbers.dominant;
  facts.zero_sums = numbers.zero_sums;
  facts.positive_entries = numbers.positive_entries;
  facts.bandwidth = numbers.bandwidth;
  facts.largest_row_sum = numbers.largest_row_sum;
  facts.least_dominance = numbers.least_dominance;
  for (int b = 2; b <= most_block_rows; ++b) {
    // Most rows are in blocks of b, and not by chance: a diagonal matrix has none.
    if (facts.rows % b == 0 && 10 * b * numbers.alike[b] >= 9 * facts.rows) facts.block_size = b;
  }
  facts.is_complex = is_complex<typename Matrix::scalar_type>;
  facts.symmetric = facts.symmetric_pattern && numbers.unmirrored_values == 0 && !facts.is_complex;
  if (facts.symmetric) return facts;
  spectrum::Symmetry* symmetry;
  const Arena<typename Exec::memory_space> memory(exec, "heddle::solve::symmetry",
                                                  arena_array(symmetry, 1));
  const auto compare = [&](std::int64_t longest) {
    spectrum::compare_mirror(exec, A, to.entry, to.row_sum, tolerance, symmetry, longest);
    return spectrum::read_symmetry(exec, symmetry);
  };
  // Entries between short rows may do to see that A is not symmetric.
  spectrum::Symmetry found = compare(numbers.long_rows > 0 ? read_rows.longest : facts.rows);
  if (numbers.long_rows > 0 && found.holds) found = compare(facts.rows);
  facts.symmetric = found.holds;
  facts.symmetric_to_rounding =
      found.difference <=
      32 * Kokkos::Experimental::epsilon_v<heddle::RealOf<typename Matrix::scalar_type>>;
  return facts;
}

}  // namespace heddle::detail::solve
