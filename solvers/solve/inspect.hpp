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
  std::int64_t empty = 0, zero_diagonal = 0, missing_diagonal = 0, negative_diagonal = 0;
  std::int64_t dominant = 0, zero_sums = 0;
  std::int64_t positive_entries = 0, bandwidth = 0, long_rows = 0;
  double least_diagonal = Kokkos::Experimental::infinity_v<double>, largest_diagonal = 0;
  double largest_row_sum = 0;  ///< of magnitudes
  double least_dominance = Kokkos::Experimental::infinity_v<double>;
  std::int64_t first_below = nowhere;  ///< the first row with an entry below the diagonal
  std::int64_t last_below = -1;        ///< the last column with one
  /// Sum of hashes of the places (i, j) below the diagonal, less that of (j, i) above it: zero for
  /// a symmetric pattern; with values, for a Hermitian A.
  std::uint64_t unmirrored = 0;

  KOKKOS_FUNCTION void join(const RowNumbers& more) {
    not_finite = Kokkos::min(not_finite, more.not_finite);
    empty += more.empty;
    zero_diagonal += more.zero_diagonal;
    missing_diagonal += more.missing_diagonal;
    negative_diagonal += more.negative_diagonal;
    dominant += more.dominant;
    zero_sums += more.zero_sums;
    positive_entries += more.positive_entries;
    bandwidth = Kokkos::max(bandwidth, more.bandwidth);
    long_rows += more.long_rows;
    least_diagonal = Kokkos::min(least_diagonal, more.least_diagonal);
    largest_diagonal = Kokkos::max(largest_diagonal, more.largest_diagonal);
    largest_row_sum = Kokkos::max(largest_row_sum, more.largest_row_sum);
    least_dominance = Kokkos::min(least_dominance, more.least_dominance);
    first_below = Kokkos::min(first_below, more.first_below);
    last_below = Kokkos::max(last_below, more.last_below);
    unmirrored += more.unmirrored;
  }
};

/// Arrays of n entries that the inspection fills and preconditioners read.
template <Scalar S>
struct DiagonalArrays {
  S* inverse;  ///< 1 / a(i, i); the reciprocal of the row's sum of magnitudes if that is not finite
  S* of_magnitude;  ///< the magnitude of `inverse`: positive
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

/// Rows of the sample, and in each of them the most entries whose mirror images are looked for.
inline constexpr std::int64_t sampled_rows = 256, sampled_entries = 4;
/// Blocks of rows of each size in the sample.
inline constexpr std::int64_t sampled_blocks = 64;

/// Counts and sums of a sample of the rows.
struct SampleNumbers {
  std::int64_t without_mirror = 0;  ///< entries that the pattern does not mirror
  double squares = 0;  ///< of differences of mirrored entries, divided by the roots of the diagonal
  std::int64_t alike[most_block_rows + 1] = {};   ///< by block size: blocks with equal columns
  std::int64_t blocks[most_block_rows + 1] = {};  ///< all blocks of the sample

  KOKKOS_FUNCTION void join(const SampleNumbers& more) {
    without_mirror += more.without_mirror;
    squares += more.squares;
    for (int b = 0; b <= most_block_rows; ++b) {
      alike[b] += more.alike[b];
      blocks[b] += more.blocks[b];
    }
  }
};

/// Reads a sample, each part of it by a thread: first rows whose entries are compared with their
/// mirror images, then aligned blocks of each size. Rows of more than longest_compared_row entries
/// are skipped. What differs in the sample differs in A, so that no pass has to look for it.
template <class Matrix>
struct ReadSample {
  using value_type = SampleNumbers;
  using S = typename Matrix::scalar_type;
  Matrix A;

  static constexpr std::int64_t parts = sampled_rows + (most_block_rows - 1) * sampled_blocks;

  KOKKOS_FUNCTION void init(SampleNumbers& of) const { of = SampleNumbers(); }
  KOKKOS_FUNCTION void join(SampleNumbers& of, const SampleNumbers& more) const { of.join(more); }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t length(std::int64_t i) const {
    return static_cast<std::int64_t>(A.row_ptr().data()[i + 1] - A.row_ptr().data()[i]);
  }
  /// Number t of `count` places of n, one of each stretch, in no step that a grid could have.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t place(std::int64_t t, std::int64_t count,
                                                        std::int64_t n) {
    const std::int64_t begin = t * n / count, end = (t + 1) * n / count;
    return begin + static_cast<std::int64_t>(hash_of(static_cast<std::uint64_t>(t)) %
                                             static_cast<std::uint64_t>(end - begin));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t part, SampleNumbers& of) const {
    const std::int64_t n = A.rows();
    if (part < sampled_rows) {
      const std::int64_t count = n < sampled_rows ? n : sampled_rows;
      if (part < count) compare_entries(place(part, count, n), of);
      return;
    }
    const std::int64_t t = (part - sampled_rows) % sampled_blocks;
    const std::int64_t b = 2 + (part - sampled_rows) / sampled_blocks;
    const std::int64_t count = n / b < sampled_blocks ? n / b : sampled_blocks;
    if (n % b != 0 || t >= count) return;
    ++of.blocks[b];
    if (is_block(b * place(t, count, n / b), b)) ++of.alike[b];
  }

 private:
  /// The sum of the entries of row i in column j, and the root by which row i is scaled.
  struct Found {
    S sum;
    double root;
    bool any;
  };
  KOKKOS_FORCEINLINE_FUNCTION Found find(std::int64_t i, std::int64_t j) const {
    Found found{S(0), 0, false};
    S diagonal(0);
    double magnitudes = 0;
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const auto column = static_cast<std::int64_t>(A.col_idx().data()[k]);
      const S value = A.values().data()[k];
      magnitudes += static_cast<double>(Kokkos::abs(value));
      if (column == i) diagonal += value;
      if (column != j) continue;
      found.sum += value;
      found.any = true;
    }
    const auto size = static_cast<double>(Kokkos::abs(diagonal));
    found.root = Kokkos::sqrt(size > 0 ? size : magnitudes);
    return found;
  }
  KOKKOS_FORCEINLINE_FUNCTION void compare_entries(std::int64_t i, SampleNumbers& of) const {
    const std::int64_t own = length(i), count = own < sampled_entries ? own : sampled_entries;
    if (own > longest_compared_row) return;
    for (std::int64_t t = 0; t < count; ++t) {
      const std::int64_t at = static_cast<std::int64_t>(A.row_ptr().data()[i]) + t * own / count;
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[at]);
      if (i == j || length(j) > longest_compared_row) continue;
      const Found here = find(i, j), there = find(j, i);
      if (!there.any) ++of.without_mirror;
      const double scale = spectrum::mirror_scale(here.root, there.root);
      const double difference =
          static_cast<double>(Kokkos::abs(here.sum - conjugate(there.sum))) / scale;
      if (Kokkos::isfinite(difference)) of.squares += difference * difference;
    }
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
  /// Whether b rows from row i on have the same columns, from a multiple of b on.
  KOKKOS_FORCEINLINE_FUNCTION bool is_block(std::int64_t i, std::int64_t b) const {
    const std::int64_t own = length(i);
    const bool dense = own == static_cast<std::int64_t>(A.columns());  // dense rows are alike
    if (own == 0 || dense || own > longest_compared_row || own % b != 0) return false;
    const Columns columns = columns_of(i);
    if (columns.first % b != 0) return false;
    for (std::int64_t k = 1; k < b; ++k) {
      if (length(i + k) != own || columns_of(i + k).hashes != columns.hashes) return false;
    }
    return true;
  }
};

/// The part of an entry that a pass hashes, to see whether A is symmetric.
enum class Hashed { nothing, places, values };

template <class Matrix, Hashed hashed>
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
    bool finite, has_diagonal;
  };

  KOKKOS_FUNCTION void init(RowNumbers& of) const { of = RowNumbers(); }
  KOKKOS_FUNCTION void join(RowNumbers& of, const RowNumbers& more) const { of.join(more); }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t length(std::int64_t i) const {
    return static_cast<std::int64_t>(A.row_ptr().data()[i + 1] - A.row_ptr().data()[i]);
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
    Part part{S(0), S(0), 0, true, false};
    const auto row = static_cast<std::int64_t>(A.row_ptr().data()[i]);
    std::int64_t low = i, high = i, last_below = -1, positive = 0;
    std::uint64_t unmirrored = 0;
    for (std::int64_t k = row + begin; k < row + end; ++k) {
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
      const S value = A.values().data()[k];
      part.sum += value;
      part.magnitudes += static_cast<double>(Kokkos::abs(value));
      low = Kokkos::min(low, j);
      high = Kokkos::max(high, j);
      if (j < i) last_below = Kokkos::max(last_below, j);
      if (i == j) {
        part.diagonal += value;
        part.has_diagonal = true;
        continue;
      }
      if (real_part(value) > 0) ++positive;
      if constexpr (hashed != Hashed::nothing) {
        const std::uint64_t hash = hash_at(i, j, value);
        unmirrored += i < j ? ~hash + 1 : hash;
      }
    }
    // A sum of magnitudes may overflow too.
    for (std::int64_t k = row + begin; k < row + end && !Kokkos::isfinite(part.magnitudes); ++k) {
      part.finite = part.finite && triangle::is_finite(A.values().data()[k]);
    }
    of.bandwidth = Kokkos::max(of.bandwidth, Kokkos::max(i - low, high - i));
    if (last_below >= 0) of.first_below = Kokkos::min(of.first_below, i);
    of.last_below = Kokkos::max(of.last_below, last_below);
    of.positive_entries += positive;
    of.unmirrored += unmirrored;
    return part;
  }
  /// A hash that both of two mirrored places have; with the value, if both values are mirrored too.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t hash_at(std::int64_t i, std::int64_t j,
                                                           const S& value) {
    const auto low = static_cast<std::uint64_t>(i < j ? i : j);
    const auto high = static_cast<std::uint64_t>(i < j ? j : i);
    const std::uint64_t place = low << 32 ^ high;  // columns have 32 bits
    if constexpr (hashed == Hashed::places) return hash_of(place);
    return hash_of(place ^ bits_of(i < j ? value : conjugate(value)) * golden_ratio);
  }
  KOKKOS_FORCEINLINE_FUNCTION void end_row(std::int64_t i, const Part& part, RowNumbers& of) const {
    constexpr double epsilon = Kokkos::Experimental::epsilon_v<Real>;
    const S diagonal = part.diagonal, sum = part.sum;
    const double magnitudes = part.magnitudes;
    const auto size = static_cast<double>(Kokkos::abs(diagonal));
    const auto real = static_cast<double>(real_part(diagonal));
    if (!part.finite) of.not_finite = Kokkos::min(of.not_finite, i);
    if (length(i) == 0) ++of.empty;
    if (!part.has_diagonal) ++of.missing_diagonal;
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
    to.inverse[i] = inverse;
    to.of_magnitude[i] = S(static_cast<Real>(Kokkos::abs(inverse)));
  }
};

/// to = 1 / d, and the sums of magnitudes of rows.
template <class Matrix>
struct ScalesOfRows {
  using S = typename Matrix::scalar_type;
  Matrix A;
  const S* of_magnitude;
  S* entry;
  double* row_sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double sum = 0;
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      sum += static_cast<double>(Kokkos::abs(A.values().data()[k]));
    }
    entry[i] = S(1) / of_magnitude[i];
    row_sum[i] = sum;
  }
};

/// Lists long rows, in any order.
template <class Rows>
struct ListLongRows {
  Rows rows;
  std::int64_t* count;
  std::int64_t* list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (rows.length(i) > rows.longest) list[backends::atomic_fetch_add(count, std::int64_t(1))] = i;
  }
};
/// Reads a part of a long row.
template <class Rows>
struct ReadParts {
  using value_type = RowNumbers;
  Rows rows;
  const std::int64_t* list;
  typename Rows::Part* parts;

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
template <class Rows>
struct EndLongRows {
  using value_type = RowNumbers;
  Rows rows;
  const std::int64_t* list;
  const typename Rows::Part* parts;

  KOKKOS_FUNCTION void init(RowNumbers& of) const { of = RowNumbers(); }
  KOKKOS_FUNCTION void join(RowNumbers& of, const RowNumbers& more) const { of.join(more); }
  KOKKOS_FUNCTION void operator()(std::int64_t at, RowNumbers& of) const {
    typename Rows::Part whole = parts[at * parts_of_long_row];
    for (std::int64_t part = 1; part < parts_of_long_row; ++part) {
      const auto& more = parts[at * parts_of_long_row + part];
      whole.diagonal += more.diagonal;
      whole.sum += more.sum;
      whole.magnitudes += more.magnitudes;
      whole.finite = whole.finite && more.finite;
      whole.has_diagonal = whole.has_diagonal || more.has_diagonal;
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
template <ExecutionSpace Exec, class Rows>
RowNumbers read_long_rows(const Exec& exec, const Rows& rows, std::int64_t count) {
  const std::int64_t all = count * parts_of_long_row;
  std::int64_t *listed, *list;
  typename Rows::Part* parts;
  const Arena<typename Exec::memory_space> memory(
      exec, "heddle::solve::long_rows", arena_array(listed, 1),
      arena_array(list, static_cast<std::size_t>(count)),
      arena_array(parts, static_cast<std::size_t>(all)));
  parallel_for(exec, "heddle::solve::clear", 1, Fill<std::int64_t>{listed, 0});
  parallel_for(exec, "heddle::solve::list_long_rows", rows.A.rows(),
               ListLongRows<Rows>{rows, listed, list});
  RowNumbers numbers, ended;
  reduce(exec, "heddle::solve::read_parts", all, ReadParts<Rows>{rows, list, parts}, numbers);
  reduce(exec, "heddle::solve::end_long_rows", count, EndLongRows<Rows>{rows, list, parts}, ended);
  numbers.join(ended);
  return numbers;
}
template <Hashed hashed, ExecutionSpace Exec, class Matrix>
RowNumbers read_rows(const Exec& exec, const Matrix& A,
                     const DiagonalArrays<typename Matrix::scalar_type>& to) {
  const std::int64_t longest =
      std::max(least_long_row, 8 * static_cast<std::int64_t>(A.nonzeros()) / A.rows());
  const ReadRows<Matrix, hashed> rows{A, to, longest};
  RowNumbers numbers;
  reduce(exec, "heddle::solve::read_rows", A.rows(), rows, numbers);
  if (numbers.long_rows > 0) numbers.join(read_long_rows(exec, rows, numbers.long_rows));
  return numbers;
}

/// Finds what A is, without Ritz values, and fills the arrays. A is square and its pattern checked.
/// A sample of rows, then one pass over the entries with a thread for each row, and a readback of
/// both that waits. If the sample is symmetric and A does not equal its mirror image bit by bit,
/// three more passes. Long rows are read in parts. Not called without rows.
template <ExecutionSpace Exec, class Matrix>
MatrixFacts read_matrix(const Exec& exec, const Matrix& A,
                        const DiagonalArrays<typename Matrix::scalar_type>& to) {
  using S = typename Matrix::scalar_type;
  constexpr double tolerance = 1e-5;  // as MultigridOptions::symmetry_tolerance
  MatrixFacts facts;
  facts.rows = A.rows();
  facts.entries = static_cast<std::int64_t>(A.nonzeros());
  facts.is_complex = is_complex<S>;
  const backends::OneThread alone(takes_one_thread<Exec>(facts.rows, facts.entries));
  SampleNumbers sample;
  reduce(exec, "heddle::solve::read_sample", ReadSample<Matrix>::parts, ReadSample<Matrix>{A},
         sample);
  for (int b = 2; b <= most_block_rows; ++b) {
    // Most rows are in blocks of b, and not by chance: a diagonal matrix has none.
    if (sample.blocks[b] > 0 && 10 * sample.alike[b] >= 9 * sample.blocks[b]) facts.block_size = b;
  }
  // The Frobenius norm of the sample's differences bounds that of A's.
  const bool seen_to_differ = sample.squares > tolerance * tolerance * double(facts.rows);
  const bool pattern_may_equal = sample.without_mirror == 0;
  const bool may_equal = pattern_may_equal && sample.squares == 0 && !facts.is_complex;
  const RowNumbers numbers = may_equal           ? read_rows<Hashed::values>(exec, A, to)
                             : pattern_may_equal ? read_rows<Hashed::places>(exec, A, to)
                                                 : read_rows<Hashed::nothing>(exec, A, to);
  facts.not_finite = numbers.not_finite == nowhere ? -1 : numbers.not_finite;
  facts.empty_rows = numbers.empty;
  facts.zero_diagonal = numbers.zero_diagonal;
  facts.missing_diagonal = numbers.missing_diagonal;
  facts.negative_diagonal = numbers.negative_diagonal;
  facts.least_diagonal = numbers.largest_diagonal > 0 ? numbers.least_diagonal : 0;
  facts.largest_diagonal = numbers.largest_diagonal;
  facts.dominant_rows = numbers.dominant;
  facts.zero_sums = numbers.zero_sums;
  facts.positive_entries = numbers.positive_entries;
  facts.bandwidth = numbers.bandwidth;
  facts.largest_row_sum = numbers.largest_row_sum;
  facts.least_dominance = numbers.least_dominance;
  facts.two_levels = numbers.last_below < numbers.first_below;
  const bool mirrored = numbers.unmirrored == 0;
  if (may_equal && mirrored) return facts;
  facts.symmetric = facts.symmetric_to_rounding = false;
  facts.symmetric_pattern =
      pattern_may_equal &&
      (may_equal ? read_rows<Hashed::places>(exec, A, to).unmirrored == 0 : mirrored);
  if (seen_to_differ) return facts;
  const auto n = static_cast<std::size_t>(facts.rows);
  spectrum::Symmetry* symmetry;
  S* entry;
  double* row_sum;
  const Arena<typename Exec::memory_space> memory(exec, "heddle::solve::symmetry",
                                                  arena_array(symmetry, 1), arena_array(entry, n),
                                                  arena_array(row_sum, n));
  parallel_for(exec, "heddle::solve::scales", facts.rows,
               ScalesOfRows<Matrix>{A, to.of_magnitude, entry, row_sum});
  spectrum::compare_mirror(exec, A, entry, row_sum, tolerance, symmetry);
  const spectrum::Symmetry found = spectrum::read_symmetry(exec, symmetry);
  facts.symmetric = found.holds;
  facts.symmetric_to_rounding =
      found.difference <= 32 * Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
  return facts;
}

}  // namespace heddle::detail::solve
