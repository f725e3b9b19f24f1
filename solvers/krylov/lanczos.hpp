// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/hash.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../../matrices/norms.hpp"
#include "../vectors/definitions.hpp"
#include "../vectors/operands.hpp"
#include "block_diagonal.hpp"
#include "spectrum.hpp"
#include "symmetry.hpp"

/// The largest eigenvalue of D^-1 A, by Lanczos steps in the inner product x' D y, whose numbers
/// never leave the device: nothing waits. Source: Y. Saad, Numerical Methods for Large Eigenvalue
/// Problems (2011), chapter 6.
namespace heddle::detail::spectrum {

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION double square_of(const S& value) {
  const double size = static_cast<double>(Kokkos::abs(value));
  return size * size;
}

/// Half as many steps miss the largest eigenvalue of a small stiff part by a fifth, beyond what any
/// factor that costs few iterations makes up for (docs/design/multigrid.md).
inline constexpr int lanczos_steps = 12;
/// Factor of the largest Ritz value, which after so few steps is below the largest eigenvalue.
inline constexpr double spectrum_safety = 1.1;

/// Maxima over all rows: the row sum of |D^-1 A|, which no eigenvalue exceeds, and the rounding
/// error of an eigenvalue.
struct LargestOfRows {
  double row_sum;
  double rounding;
};

/// Numbers on the device: diagonal and squared off-diagonal of the tridiagonal matrix, the bound,
/// whether a Hermitian A was seen to have a negative eigenvalue, and its preconditioner too, and
/// one more than the lowest row with a bad diagonal entry and with a negative pivot, or 0.
struct SpectrumNumbers {
  double alpha[lanczos_steps];
  double beta_squared[lanczos_steps + 1];
  LargestOfRows largest;
  double bound;
  std::int64_t bad_diagonal;
  std::int64_t bad_pivot;
  bool indefinite;
  bool indefinite_preconditioner;
};

/// Random vector in which each unknown has the same weight in the inner product, whatever its unit.
template <Scalar S>
struct StartVector {
  S* to;
  const S* inverse;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Real = heddle::RealOf<S>;
    to[i] = S(static_cast<Real>(random_entry(i)) * Kokkos::sqrt(Kokkos::abs(inverse[i])));
  }
};

/// A pass of a Lanczos step.
template <Scalar S>
using LanczosPass = vectors::Pass<krylov::Wide<S>, 1>;

/// beta_squared[0] = x' D x
template <Scalar S>
struct FirstNorm : LanczosPass<S> {
  Multivector<const S> x, diagonal;
  SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(x), vectors::loaded(diagonal));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](const auto&, Pack* sum, const Pack& x, const Pack& diagonal) {
      vectors::add_dot(x, Pack::multiply(diagonal, x), *sum);
    };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    numbers->beta_squared[0] = real_part(*total);
  }
};

/// alpha[step] = x' A x / beta_squared[step], with q = A x
template <Scalar S>
struct LanczosAlpha : LanczosPass<S> {
  Multivector<const S> x, q;
  SpectrumNumbers* numbers;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(x), vectors::loaded(q));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return
        [](const auto&, Pack* sum, const Pack& x, const Pack& q) { vectors::add_dot(x, q, *sum); };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    const double square = numbers->beta_squared[step];
    numbers->alpha[step] = square == 0 ? 0 : real_part(*total) / square;
  }
};

/// The factors of q = A x, x and the vector before x in the next Lanczos vector. Vectors are not
/// scaled: their norms are known.
struct LanczosFactors {
  double q, x, before;

  KOKKOS_FORCEINLINE_FUNCTION LanczosFactors(const SpectrumNumbers& numbers, int step)
      : q(reciprocal_root(numbers.beta_squared[step])),
        x(-numbers.alpha[step] * q),
        before(step == 0 ? 0
                         : -Kokkos::sqrt(numbers.beta_squared[step]) *
                               reciprocal_root(numbers.beta_squared[step - 1])) {}

 private:
  KOKKOS_FORCEINLINE_FUNCTION static double reciprocal_root(double square) {
    return square == 0 ? 0 : 1 / Kokkos::sqrt(square);
  }
};

/// Overwrites `before` with the next Lanczos vector, from q = A x, and computes its norm.
template <Scalar S>
struct LanczosNext : LanczosPass<S> {
  Multivector<S> before;
  Multivector<const S> x, q, diagonal, inverse;
  SpectrumNumbers* numbers;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(before, step != 0), vectors::loaded(x),
                                vectors::loaded(q), vectors::loaded(diagonal),
                                vectors::loaded(inverse));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    using Sum = krylov::Wide<S>;
    const LanczosFactors of(*numbers, step);
    return [of_q = Pack::all(Sum(of.q)), of_x = Pack::all(Sum(of.x)),
            of_before = Pack::all(Sum(of.before))](const auto& at, Pack* sum, Pack& before,
                                                   const Pack& x, const Pack& q,
                                                   const Pack& diagonal, const Pack& inverse) {
      const Pack rest = Pack::multiply_add(of_x, x, Pack::multiply(of_before, before));
      before = at.keep(Pack::multiply_add(of_q, Pack::multiply(inverse, q), rest));
      vectors::add_dot(before, Pack::multiply(diagonal, before), *sum);
    };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    numbers->beta_squared[step + 1] = real_part(*total);
  }
};

/// The bound from all numbers: one item. NaN if one of them is.
struct BoundSpectrum {
  SpectrumNumbers* numbers;
  const bool* hermitian;

  /// Whether all eigenvalues of the tridiagonal matrix are below x.
  KOKKOS_FUNCTION bool is_above(double x) const {
    double pivot = numbers->alpha[0] - x;
    for (int i = 1; pivot < 0 && i < lanczos_steps; ++i) {
      pivot = numbers->alpha[i] - x - numbers->beta_squared[i] / pivot;
    }
    return pivot < 0;
  }
  /// Whether at least one eigenvalue is below x.
  KOKKOS_FUNCTION bool is_above_one(double x) const {
    double pivot = numbers->alpha[0] - x;
    for (int i = 1; pivot > 0 && i < lanczos_steps; ++i) {
      pivot = numbers->alpha[i] - x - numbers->beta_squared[i] / pivot;
    }
    return pivot < 0;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    double low = numbers->alpha[0], high = 0, sum = 0;
    for (int i = 0; i < lanczos_steps; ++i) {
      const double left = i > 0 ? Kokkos::sqrt(numbers->beta_squared[i]) : 0;
      const double right = i + 1 < lanczos_steps ? Kokkos::sqrt(numbers->beta_squared[i + 1]) : 0;
      high = Kokkos::max(high, numbers->alpha[i] + left + right);
      sum += numbers->alpha[i] + left + right;
    }
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = (low + high) / 2;
      (is_above(middle) ? high : low) = middle;
    }
    const double bound = Kokkos::min(spectrum_safety * high, numbers->largest.row_sum);
    numbers->bound = Kokkos::isfinite(sum) ? (bound > 0 ? bound : 1) : sum - sum;
    numbers->indefinite = *hermitian && is_above_one(-numbers->largest.rounding * numbers->bound);
  }
};

/// Vectors of the Lanczos steps on a level, each of `rows` entries.
template <Scalar S>
struct LanczosVectors {
  S *x, *before, *q;
  S *diagonal, *inverse;
  std::int64_t rows;

  static Multivector<S> vector(S* data, std::int64_t rows) { return {data, 1, rows, rows, 1}; }
  Multivector<S> write(S* data) const { return vector(data, rows); }
  Multivector<const S> read(const S* data) const { return {data, 1, rows, rows, 1}; }
};

/// Computes numbers->bound from numbers->largest and the matrix, and whether a Hermitian A is
/// indefinite. `product(x, q)` computes q = A x. No wait, no allocation.
template <ExecutionSpace Exec, Scalar S, class Product>
void bound_spectrum(const Exec& exec, LanczosVectors<S> with, SpectrumNumbers* numbers,
                    const VectorWorkspace<Exec, krylov::Wide<S>>& workspace, const bool* hermitian,
                    const Product& product) {
  const std::int64_t rows = with.rows;
  const auto diagonal = with.read(with.diagonal), inverse = with.read(with.inverse);
  parallel_for(exec, "heddle::spectrum::start_vector", rows, StartVector<S>{with.x, with.inverse});
  vectors::stream(exec, "heddle::spectrum::first_norm", rows, 1, true,
                  FirstNorm<S>{{}, with.read(with.x), diagonal, numbers}, &workspace);
  for (int step = 0; step < lanczos_steps; ++step) {
    const auto x = with.read(with.x), q = with.read(with.q);
    product(x, with.write(with.q));
    vectors::stream(exec, "heddle::spectrum::lanczos_alpha", rows, 1, true,
                    LanczosAlpha<S>{{}, x, q, numbers, step}, &workspace);
    vectors::stream(
        exec, "heddle::spectrum::lanczos_next", rows, 1, true,
        LanczosNext<S>{{}, with.write(with.before), x, q, diagonal, inverse, numbers, step},
        &workspace);
    std::swap(with.x, with.before);
  }
  parallel_for(exec, "heddle::spectrum::bound_spectrum", 1, BoundSpectrum{numbers, hermitian});
}

// The largest eigenvalue of M A, with a preconditioner M.

/// beta_squared[step] = u' v, with v = M u
template <Scalar S>
struct PreconditionedNorm : LanczosPass<S> {
  Multivector<const S> u, v;
  SpectrumNumbers* numbers;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(u), vectors::loaded(v));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return
        [](const auto&, Pack* sum, const Pack& u, const Pack& v) { vectors::add_dot(u, v, *sum); };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    const double square = real_part(*total);
    // After the first vector, rounding may leave a small negative rest beside what was subtracted.
    constexpr double surely = 1e-3;
    const double before = step == 0 ? 0 : numbers->alpha[step - 1];
    if (square < -surely * before * before) numbers->indefinite_preconditioner = true;
    numbers->beta_squared[step] = square < 0 ? 0 : square;
  }
};

/// Overwrites `before` with the next u, from q = A v.
template <Scalar S>
struct PreconditionedNext : vectors::Pass<krylov::Wide<S>> {
  Multivector<S> before;
  Multivector<const S> u, q;
  const SpectrumNumbers* numbers;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(before, step != 0), vectors::loaded(u),
                                vectors::loaded(q));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    using Sum = krylov::Wide<S>;
    const LanczosFactors of(*numbers, step);
    return [of_q = Pack::all(Sum(of.q)), of_u = Pack::all(Sum(of.x)),
            of_before = Pack::all(Sum(of.before))](Pack& before, const Pack& u, const Pack& q) {
      const Pack rest = Pack::multiply_add(of_u, u, Pack::multiply(of_before, before));
      before = Pack::multiply_add(of_q, q, rest);
    };
  }
};

/// Leaves the bound to the Lanczos steps: one item.
struct WithoutRowSum {
  SpectrumNumbers* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    numbers->largest = {Kokkos::Experimental::infinity_v<double>, 0};
    numbers->bad_diagonal = numbers->bad_pivot = 0;
    numbers->indefinite_preconditioner = false;
  }
};

/// Computes numbers->bound of M A by Lanczos steps in the inner product of M^-1, which is never
/// applied: u = M^-1 v is kept beside each v = M u. M is Hermitian positive definite; a negative u'
/// v is noted in numbers->indefinite_preconditioner. `multiply(u, v)` computes v = M u. `u` is a
/// vector beside those of `with`, of which x holds v; with.inverse is not read. No wait, no
/// allocation.
template <ExecutionSpace Exec, Scalar S, class Product, class Multiply>
void bound_preconditioned(const Exec& exec, const LanczosVectors<S>& with, S* u,
                          SpectrumNumbers* numbers,
                          const VectorWorkspace<Exec, krylov::Wide<S>>& workspace,
                          const bool* hermitian, const Product& product, const Multiply& multiply) {
  const std::int64_t rows = with.rows;
  const auto v = with.read(with.x), q = with.read(with.q);
  S* before = with.before;
  const auto find_v = [&](int step) {
    multiply(with.read(u), with.write(with.x));
    vectors::stream(exec, "heddle::spectrum::preconditioned_norm", rows, 1, true,
                    PreconditionedNorm<S>{{}, with.read(u), v, numbers, step}, &workspace);
  };
  parallel_for(exec, "heddle::spectrum::without_row_sum", 1, WithoutRowSum{numbers});
  parallel_for(exec, "heddle::spectrum::start_vector", rows, StartVector<S>{u, with.diagonal});
  find_v(0);
  for (int step = 0; step < lanczos_steps; ++step) {
    product(v, with.write(with.q));
    vectors::stream(exec, "heddle::spectrum::lanczos_alpha", rows, 1, true,
                    LanczosAlpha<S>{{}, v, q, numbers, step}, &workspace);
    vectors::stream(exec, "heddle::spectrum::preconditioned_next", rows, 1, true,
                    PreconditionedNext<S>{{}, with.write(before), with.read(u), q, numbers, step});
    std::swap(u, before);
    find_v(step + 1);
  }
  parallel_for(exec, "heddle::spectrum::bound_spectrum", 1, BoundSpectrum{numbers, hermitian});
}

// The diagonal of a level, as smoothers use it.

/// Bound of the rounding error of a diagonal entry or a pivot, relative to its magnitude: the sum
/// of the finest level's diagonal entries that it was made of, each times the square of its weight.
/// Each level and each elimination passes magnitudes on. So the bound follows the scale of A and of
/// its unknowns, and covers large entries that have cancelled. Pivots of Laplacians that should be
/// zero were up to 27 epsilon of their magnitude.
template <Scalar S>
inline constexpr double rounding_of_magnitude =
    64 * (sizeof(heddle::RealOf<S>) == 4 ? 0x1p-23 : 0x1p-52);

/// The diagonal entry of a row, its inverse, and the sum of magnitudes of the row, by a subwarp. A
/// bad diagonal entry counts as that sum, which has the unit of A, or as 1 if the sum is bad too,
/// and the lowest such row is marked in *bad.
template <class Matrix>
struct PrepareRow {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  Matrix A;
  S* diagonal;
  S* inverse;
  double* row_sums;
  double* magnitude;
  bool finest;  ///< whether this is the finest level, which sets the magnitudes
  std::int64_t* bad;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t i = team.index() * Team::subwarps + team.subwarp_index();
    if (i >= A.rows()) return;
    const OnDiagonal<S, typename Matrix::ordinal_type> on_diagonal{A.col_idx().data(),
                                                                   A.values().data()};
    const AddMagnitude<S> add_magnitude{{A.values().data()}};
    S entry(0);
    double sum = 0;
    const auto end = static_cast<std::int64_t>(A.row_ptr().data()[i + 1]);
    for (std::int64_t k = static_cast<std::int64_t>(A.row_ptr().data()[i]) + subwarp.lane();
         k < end; k += Team::subwarp_width) {
      on_diagonal(i, k, entry);
      add_magnitude(i, k, sum);
    }
    entry = subwarp.sum(entry);
    sum = subwarp.sum(sum);
    if (subwarp.lane() != 0) return;
    if (is_bad(entry)) {
      triangle::mark_bad_row(bad, i);
      entry = S(static_cast<heddle::RealOf<S>>(sum));
      if (is_bad(entry)) entry = S(1);
    }
    diagonal[i] = entry;
    inverse[i] = S(1) / entry;
    row_sums[i] = sum;
    if (finest) magnitude[i] = static_cast<double>(Kokkos::abs(entry));
  }
};

/// inverse[i] = 1 / row_sums[i], the factors of l1-Jacobi, unless that is bad.
template <Scalar S>
struct InvertRowSums {
  const double* row_sums;
  S* inverse;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const S of_sum(static_cast<heddle::RealOf<S>>(1 / row_sums[i]));
    if (!is_bad(of_sum)) inverse[i] = of_sum;
  }
};

/// Reduces the rows to LargestOfRows.
template <Scalar S>
struct FindLargestOfRows {
  using value_type = LargestOfRows;
  const S* diagonal;
  const double* row_sums;
  const double* magnitude;

  KOKKOS_FUNCTION void init(LargestOfRows& largest) const { largest = {0, 0}; }
  KOKKOS_FUNCTION void join(LargestOfRows& largest, const LargestOfRows& other) const {
    largest.row_sum = larger_or_nan(other.row_sum, largest.row_sum);
    largest.rounding = larger_or_nan(other.rounding, largest.rounding);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, LargestOfRows& largest) const {
    constexpr double of_lanczos = sizeof(heddle::RealOf<S>) == 4 ? 1e-4 : 1e-10;
    const auto size = static_cast<double>(Kokkos::abs(diagonal[i]));
    const double rounding =
        Kokkos::max(of_lanczos, rounding_of_magnitude<S> * (magnitude[i] / size));
    join(largest, {row_sums[i] / size, rounding});
  }
};

/// Makes the row sum the bound, for a matrix that is inverted: one item. Inverses of unsymmetric
/// matrices exchange rows, and so need no diagonal.
struct BoundByRowSum {
  SpectrumNumbers* numbers;
  const bool* hermitian;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    if (!*hermitian) numbers->bad_diagonal = 0;
    numbers->bound = numbers->largest.row_sum;
    numbers->indefinite = false;
  }
};
struct ClearBadRows {
  SpectrumNumbers* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    numbers->bad_diagonal = numbers->bad_pivot = 0;
  }
};

/// Computes diagonal, inverse and row sums, on the finest level magnitude, and numbers->largest, by
/// one pass over A; marks bad rows in *numbers. No wait, no allocation.
template <ExecutionSpace Exec, class Matrix>
void prepare_diagonal(const Exec& exec, const Matrix& A, typename Matrix::scalar_type* diagonal,
                      typename Matrix::scalar_type* inverse, double* magnitude, bool finest,
                      double* row_sums, SpectrumNumbers* numbers) {
  using S = typename Matrix::scalar_type;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const std::int64_t rows = A.rows();
  parallel_for(exec, "heddle::spectrum::clear_bad", 1, ClearBadRows{numbers});
  using Kernel = PrepareRow<Matrix>;
  using Team = backends::Team<Exec, typename Kernel::Shape>;
  backends::launch<typename Kernel::Shape>(
      exec, "heddle::spectrum::prepare_rows", ceil_div(rows, std::int64_t{Team::subwarps}),
      Kernel{A, diagonal, inverse, row_sums, magnitude, finest, &numbers->bad_diagonal});
  Kokkos::parallel_reduce(
      "heddle::spectrum::largest_of_rows", range_policy(exec, rows),
      FindLargestOfRows<S>{diagonal, row_sums, magnitude},
      Kokkos::View<LargestOfRows, typename Exec::memory_space, Unmanaged>(&numbers->largest));
}

// Products of rows that no plan is made for.

/// Lanes a row: coarse levels have some 10 to 60 entries a row.
using RowsShape = backends::Shape<16, 512, 2>;

/// A matrix as kernels read it without a plan: a subwarp a row.
template <class Matrix>
struct CsrRows {
  using S = typename Matrix::scalar_type;
  const typename Matrix::offset_type* row_ptr = nullptr;
  const typename Matrix::ordinal_type* col_idx = nullptr;
  const S* values = nullptr;

  static CsrRows of(const Matrix& A) {
    return {A.row_ptr().data(), A.col_idx().data(), A.values().data()};
  }
  /// The product of a row and vector v of x, in all lanes.
  template <class Subwarp, class T>
  KOKKOS_FORCEINLINE_FUNCTION S times(const Subwarp& subwarp, std::int64_t row,
                                      const Multivector<T>& x, int v) const {
    S sum(0);
    for (auto k = row_ptr[row] + subwarp.lane(); k < row_ptr[row + 1]; k += Subwarp::width) {
      sum += values[k] * x(col_idx[k], v);
    }
    return subwarp.sum(sum);
  }
};

/// q = A x
template <class Matrix>
struct MultiplyRows {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  CsrRows<Matrix> A;
  Multivector<const S> x;
  Multivector<S> q;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= q.rows) return;
    const S product = A.times(subwarp, row, x, 0);
    if (subwarp.lane() == 0) q(row, 0) = product;
  }
};
template <ExecutionSpace Exec, class Matrix, class S>
void multiply_rows(const Exec& exec, const Matrix& A, const Multivector<const S>& x,
                   const Multivector<S>& q) {
  using Team = backends::Team<Exec, RowsShape>;
  backends::launch<RowsShape>(exec, "heddle::spectrum::multiply_rows",
                              ceil_div(q.rows, std::int64_t{Team::subwarps}),
                              MultiplyRows<Matrix>{CsrRows<Matrix>::of(A), x, q});
}

// The bound of one matrix, which spectrum_bounds returns.

/// Throws Error for a diagonal entry that was marked, a bound that is not a number, a negative
/// eigenvalue, or a negative pivot. `place` begins the message: the level, or nothing.
inline void throw_if_bad(const std::string& place, const SpectrumNumbers& numbers,
                         const char* remedy, const char* indefinite) {
  if (numbers.bad_diagonal != 0) {
    throw Error(
        place + "the diagonal is missing, not positive or not finite, or its reciprocal is not",
        Where{.row = numbers.bad_diagonal - 1}, remedy);
  }
  if (!std::isfinite(numbers.bound)) {
    throw Error(place + "a value of the matrix is not finite", "give finite values");
  }
  if (numbers.indefinite) {
    throw Error(place + "the matrix has a negative eigenvalue", indefinite);
  }
  if (numbers.bad_pivot != 0) {
    throw Error(place + "a pivot is negative", Where{.row = numbers.bad_pivot - 1}, indefinite);
  }
}

/// Copies the numbers to the host. Waits.
template <ExecutionSpace Exec>
SpectrumNumbers read_numbers(const Exec& exec, const SpectrumNumbers* from) {
  using Space = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  SpectrumNumbers numbers;
  Kokkos::deep_copy(kokkos_space(exec), numbers,
                    Kokkos::View<const SpectrumNumbers, Space, Unmanaged>(from));
  exec.fence("heddle::spectrum::read");
  return numbers;
}

}  // namespace heddle::detail::spectrum

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<spectrum::LargestEigenvalue<Exec, Matrix>> = true;

template <ExecutionSpace Exec, class Matrix>
double spectrum::LargestEigenvalue<Exec, Matrix>::find(const Exec& exec, const Matrix& A,
                                                       int block_size, double symmetry_tolerance) {
  using S = typename Matrix::scalar_type;
  const std::int64_t n = A.rows();
  if (A.rows() != A.columns()) {
    throw Error(
        "the matrix of a spectrum is " + std::to_string(n) + " x " + std::to_string(A.columns()),
        "give a square matrix");
  }
  check_csr(exec, A);
  if (block_size < 1 || block_size > triangle::largest_block) {
    throw Error("the block size is " + std::to_string(block_size), "give 1 to 32");
  }
  if (n == 0) return 1;
  const bool by_blocks = block_size > 1;
  const std::int64_t blocks = by_blocks ? ceil_div(n, std::int64_t{block_size}) : 0;
  S *x, *before, *q, *diagonal, *inverse, *u, *inverse_blocks;
  double *row_sums, *magnitude;
  SpectrumNumbers* numbers;
  Symmetry* symmetry;
  krylov::BadBlocks* bad;
  const VectorWorkspace<Exec, krylov::Wide<S>> workspace(exec);
  const Arena<typename Exec::memory_space> memory(
      exec, "heddle::spectrum::vectors", arena_array(x, n), arena_array(before, n),
      arena_array(q, n), arena_array(diagonal, n), arena_array(inverse, n),
      arena_array(row_sums, n), arena_array(magnitude, n), arena_array(numbers, 1),
      arena_array(symmetry, 1), arena_array(u, by_blocks ? n : 0),
      arena_array(inverse_blocks, blocks * block_size * block_size),
      arena_array(bad, by_blocks ? 1 : 0));
  const LanczosVectors<S> with{x, before, q, diagonal, inverse, n};
  const auto product = [&](const auto& from, const auto& to) { multiply_rows(exec, A, from, to); };
  prepare_diagonal(exec, A, diagonal, inverse, magnitude, true, row_sums, numbers);
  compare_mirror(exec, A, diagonal, row_sums, symmetry_tolerance, symmetry);
  bound_spectrum(exec, with, numbers, workspace, &symmetry->holds, product);
  SpectrumNumbers found = read_numbers(exec, numbers);
  throw_if_bad("", found, "store a positive one that its type can hold",
               "use a method for indefinite matrices: A is not positive definite");
  if (by_blocks) {
    krylov::invert_definite_blocks(exec, krylov::InvertDefiniteBlocks<Matrix>{
                                             A, inverse_blocks, magnitude, rounding_of_magnitude<S>,
                                             bad, &symmetry->holds, block_size});
    const krylov::BadBlocks bad_blocks = krylov::read_bad_blocks(exec, bad);
    if (bad_blocks.count > 0) {
      throw Error("the diagonal block that begins here is singular or not positive definite",
                  Where{.row = bad_blocks.first - 1}, "give another block size, or 1");
    }
    bound_preconditioned(
        exec, with, u, numbers, workspace, &symmetry->holds, product,
        [&](const auto& from, const auto& to) {
          krylov::take_block_step(
              exec, "heddle::spectrum::multiply_blocks",
              krylov::BlockStep<S, true>{{inverse_blocks, n, block_size}, from, {}, to});
        });
    found = read_numbers(exec, numbers);
  }
  const Symmetry mirror = read_symmetry(exec, symmetry);
  if (!mirror.holds) {
    throw Error("A is not symmetric, so its eigenvalues have no such bounds: " +
                    words_of_asymmetry(exec, A, mirror.difference, symmetry_tolerance),
                "give bounds from elsewhere, or use a method that needs none");
  }
  if (!std::isfinite(found.bound)) {
    throw Error("the largest eigenvalue with the inverted blocks of A is not finite",
                "scale A, or give another block size, or 1");
  }
  return found.bound;
}

}  // namespace heddle::detail
