// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inverse of the coarsest level: for definite matrices the inverse, for singular ones the
// pseudo-inverse plus a part on the nullspace; negative pivots are marked. Unsymmetric matrices are
// inverted with row pivots.
#include "../../../solvers/multigrid/coarsest.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

namespace mg = heddle::detail::multigrid;

/// A dense matrix on the host, and in CSR on the device.
template <class E, class S>
struct Dense {
  std::vector<std::vector<S>> rows;

  PlainOperator<E, S> sparse() const {
    std::vector<int> row_ptr(1), col_idx;
    std::vector<S> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        if (i != j && rows[i][j] == S(0)) continue;
        col_idx.push_back(static_cast<int>(j));
        values.push_back(rows[i][j]);
      }
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    return plain_operator<E>(row_ptr, col_idx, values);
  }
};

/// Separate paths; each entry is scaled by phases and units of its row and column. `held` is added
/// at the first node of the first path.
template <class E, class S>
Dense<E, S> laplacian_of_chains(int parts, int length, double held, double units) {
  const int n = parts * length;
  Dense<E, S> dense{std::vector(static_cast<std::size_t>(n), std::vector<S>(n, S(0)))};
  Random random(5);
  std::vector<S> weight;
  for (int i = 0; i < n; ++i) {
    const double size = std::pow(10.0, units * random.scalar<double>());
    if constexpr (is_complex<S>) {
      weight.push_back(S(size * std::cos(i), size * std::sin(i)));
    } else {
      weight.push_back(i % 3 == 0 ? -size : size);
    }
  }
  const auto add = [&](int i, int j, double value) {
    const auto k = static_cast<std::size_t>(i), l = static_cast<std::size_t>(j);
    const S entry = conjugate(weight[k]) * weight[l] * S(value);
    dense.rows[k][l] += i == j ? S(heddle::detail::real_part(entry)) : entry;
  };
  add(0, 0, held);
  for (int i = 0; i + 1 < n; ++i) {
    if ((i + 1) % length == 0) continue;
    const double strength = 1 + i % 4;
    add(i, i, strength);
    add(i + 1, i + 1, strength);
    add(i, i + 1, -strength);
    add(i + 1, i, -strength);
  }
  return dense;
}

/// Rows of the inverse, and the row that was marked.
template <class E, class S>
std::vector<std::vector<S>> inverse_of(const E& exec, const Dense<E, S>& a, std::int64_t& marked,
                                       bool is_hermitian = true) {
  const auto sparse = a.sparse();
  const auto n = a.rows.size();
  std::vector<double> magnitude;
  for (std::size_t i = 0; i < n; ++i) magnitude.push_back(Kokkos::abs(a.rows[i][i]));
  const auto magnitudes = copy_in<typename E::memory_space>(magnitude);
  const Kokkos::View<std::int64_t*, typename E::memory_space> negative("heddle::test::word", 1);
  const Kokkos::View<bool*, typename E::memory_space> hermitian("heddle::test::hermitian", 1);
  Kokkos::deep_copy(hermitian, is_hermitian);
  mg::CoarseSolve<E, typename PlainOperator<E, S>::Matrix> coarsest(exec, sparse.n);
  coarsest.update_values(exec, sparse.matrix(), magnitudes.data(), hermitian.data(),
                         negative.data());
  exec.fence("heddle::test::inverted");
  marked = to_host(negative)(0);
  const auto entries = to_host(
      Kokkos::View<const S*, typename E::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          coarsest.inverse(), n * n));
  std::vector<std::vector<S>> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rows[i].push_back(entries(i * n + j));
  }
  return rows;
}

template <class S>
std::vector<std::vector<S>> times(const std::vector<std::vector<S>>& a,
                                  const std::vector<std::vector<S>>& b) {
  const std::size_t n = a.size();
  std::vector<std::vector<S>> c(n, std::vector<S>(n, S(0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

template <class S>
using InDouble = heddle::detail::krylov::Wide<S>;

template <class S>
constexpr bool holds_float = sizeof(heddle::RealOf<S>) == 4;

template <class S>
S number(double value) {
  return S(static_cast<heddle::RealOf<S>>(value));
}

template <class T, class S>
std::vector<std::vector<T>> converted(const std::vector<std::vector<S>>& from) {
  std::vector<std::vector<T>> to;
  for (const auto& row : from) {
    to.emplace_back();
    for (const S& entry : row) to.back().push_back(T(entry));
  }
  return to;
}

/// The inverse by LU factors with row pivots, on the host.
template <class S>
std::vector<std::vector<S>> inverse_by_lu(std::vector<std::vector<S>> a) {
  const std::size_t n = a.size();
  std::vector<std::vector<S>> x(n, std::vector<S>(n, S(0)));
  for (std::size_t i = 0; i < n; ++i) x[i][i] = S(1);
  for (std::size_t p = 0; p < n; ++p) {
    std::size_t pivot = p;
    for (std::size_t i = p + 1; i < n; ++i) {
      if (Kokkos::abs(a[i][p]) > Kokkos::abs(a[pivot][p])) pivot = i;
    }
    std::swap(a[p], a[pivot]);
    std::swap(x[p], x[pivot]);
    for (std::size_t i = p + 1; i < n; ++i) {
      const S factor = a[i][p] / a[p][p];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[p][j];
        x[i][j] -= factor * x[p][j];
      }
    }
  }
  for (std::size_t p = n; p-- > 0;) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = p + 1; k < n; ++k) x[p][j] -= a[p][k] * x[k][j];
      x[p][j] /= a[p][p];
    }
  }
  return x;
}

using Entries = std::vector<std::vector<double>>;

/// The matrix with these entries times `unit`.
template <class E, class S>
Dense<E, S> in_unit(const Entries& rows, double unit) {
  Dense<E, S> dense{converted<S>(rows)};
  for (auto& row : dense.rows) {
    for (S& entry : row) entry *= number<S>(unit);
  }
  return dense;
}

enum class OnDiagonal { random, zero, tiny, some_tiny, permutation };

/// A random unsymmetric matrix, far from singular, with this diagonal.
template <class S>
std::vector<std::vector<S>> unsymmetric(std::size_t n, OnDiagonal diagonal, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<S>> a(n, std::vector<S>(n, S(0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = random.scalar<S>();
    if (diagonal == OnDiagonal::zero) a[i][i] = S(0);
    if (diagonal == OnDiagonal::tiny || (diagonal == OnDiagonal::some_tiny && i % 3 == 0)) {
      a[i][i] = number<S>(1e-14);
    }
    if (diagonal != OnDiagonal::permutation) continue;
    for (std::size_t j = 0; j < n; ++j) a[i][j] = number<S>(j == (i + 1) % n ? -2 : 0);
  }
  return a;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("inverses of unsymmetric matrices, beside LU factors", T, pivoted) {
  using E = typename T::Exec;
  using S = typename T::Scalar;
  const E exec;
  for (const auto diagonal : {OnDiagonal::random, OnDiagonal::zero, OnDiagonal::tiny,
                              OnDiagonal::some_tiny, OnDiagonal::permutation}) {
    for (const std::size_t n : std::vector<std::size_t>{1, 2, 7, 9, 16, 37, 70}) {
      if (n > (emulated && holds_float<S> ? 16 : emulated || holds_float<S> ? 40 : 70)) continue;
      if (n == 1 && diagonal == OnDiagonal::zero) continue;
      const auto a = unsymmetric<S>(n, diagonal, n);
      const auto by_lu = inverse_by_lu(converted<InDouble<S>>(a));
      double largest = 0;
      for (const auto& row : by_lu) {
        for (const auto& entry : row)
          largest = std::max(largest, static_cast<double>(Kokkos::abs(entry)));
      }
      // In any unit of A, of its equations and of its unknowns.
      for (const double unit : {1.0, 1e-12, 1e12}) {
        for (const auto& ranges :
             std::vector<std::pair<double, double>>{{0, 0}, {4, 4}, {4, 0}, {0, 4}}) {
          // 16 orders of magnitude beside 1e-14 or 1e-12 are beyond what float holds.
          const double part = holds_float<S> ? 0.5 : 1;
          CAPTURE(static_cast<int>(diagonal));
          CAPTURE(n);
          CAPTURE(unit);
          CAPTURE(ranges.first);
          CAPTURE(ranges.second);
          const auto scale = [&](std::size_t i, std::size_t j) {
            const auto power = [&](std::size_t k, double range) {
              return std::pow(10.0, part * range * (static_cast<double>(k % 5) / 2 - 1));
            };
            return unit * power(i, ranges.first) * power(j, ranges.second);
          };
          Dense<E, S> scaled{a};
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) scaled.rows[i][j] *= number<S>(scale(i, j));
          }
          std::int64_t marked = 0;
          const auto M = converted<InDouble<S>>(inverse_of(exec, scaled, marked, false));
          CHECK(marked == 0);
          double off = 0;
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              const auto entry = M[i][j] * InDouble<S>(scale(j, i));
              off = std::max(off, Kokkos::abs(entry - by_lu[i][j]) / largest);
            }
          }
          CHECK(off < (holds_float<S> ? 1e-2 : 1e-9));
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(
    pivoted, Every<std::tuple<float, double, Kokkos::complex<float>, Kokkos::complex<double>>,
                   UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("rows or columns of a unit of their own are not rounding", T, in_units) {
  using E = typename T::Exec;
  using S = typename T::Scalar;
  const E exec;
  // A row given by a Dirichlet condition whose column stays, and rows or columns alone scaled.
  const double far = holds_float<S> ? 1e6 : 1e15;
  for (const auto& rows : std::vector<Entries>{
           {{1, 0}, {-far, 2 * far}},
           {{2, -1}, {-far, 2 * far}},
           {{2, -far}, {-1, 2 * far}},
           {{0, 1e3}, {1e-3, 0}},
           {{1e-3}},
           {{-1e3}},
       }) {
    for (const double unit : {1.0, 1e-12, 1e12}) {
      const Dense<E, S> a = in_unit<E, S>(rows, unit);
      std::int64_t marked = 0;
      const auto M = converted<double>(inverse_of(exec, a, marked, false));
      const auto A = converted<double>(a.rows);
      CAPTURE(rows.front().back());
      CAPTURE(unit);
      // M A is I, beside the terms of each entry.
      double off = 0;
      for (std::size_t i = 0; i < M.size(); ++i) {
        for (std::size_t j = 0; j < M.size(); ++j) {
          double sum = i == j ? -1 : 0, terms = 1;
          for (std::size_t k = 0; k < M.size(); ++k) {
            sum += M[i][k] * A[k][j];
            terms += std::abs(M[i][k] * A[k][j]);
          }
          off = std::max(off, std::abs(sum) / terms);
        }
      }
      CHECK(off < (holds_float<S> ? 1e-5 : 1e-13));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(in_units, Every<std::tuple<float, double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("unsymmetric singular matrices with a dependent column anywhere", T,
                          dependent) {
  using E = typename T::Exec;
  using S = typename T::Scalar;
  const E exec;
  for (const auto& rows : std::vector<Entries>{
           {{0}},
           {{0, 1}, {0, 0}},
           {{0, 0}, {1, 1}},
           {{0, 0}, {0, 0}},
           {{1, 1, 0}, {0, 0, 1}, {1, 1, 0}},
           {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}},
           // Two parts: {0, 2}, which is singular, and {1, 3, 4}.
           {{1, 0, -1, 0, 0}, {0, 1, 0, 2, 0}, {-1, 0, 1, 0, 0}, {0, 3, 0, 1, 1}, {0, 0, 0, 1, 4}},
       }) {
    for (const double unit : {1.0, 1e-12, 1e12}) {
      CAPTURE(rows.size());
      CAPTURE(unit);
      const Dense<E, S> a = in_unit<E, S>(rows, unit);
      std::int64_t marked = 0;
      const auto M = converted<double>(inverse_of(exec, a, marked, false));
      const auto A = converted<double>(a.rows);
      const auto AMA = times(times(A, M), A);
      double off = 0;
      bool finite = true;
      for (std::size_t i = 0; i < A.size(); ++i) {
        for (std::size_t j = 0; j < A.size(); ++j) {
          off = std::max(off, std::abs(AMA[i][j] - A[i][j]) / unit);
          finite = finite && std::isfinite(M[i][j]);
        }
      }
      CHECK(finite);
      CHECK(off < (holds_float<S> ? 1e-5 : 1e-13));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(dependent, Every<std::tuple<float, double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("unsymmetric singular matrices solve what is in their range", T,
                          in_range) {
  using E = typename T::Exec;
  const E exec;
  // A flow around a ring: constants need no force.
  for (const int n : {3, 8, 29}) {
    for (const double unit : {1.0, 1e-12, 1e12}) {
      CAPTURE(n);
      CAPTURE(unit);
      const auto size = static_cast<std::size_t>(n);
      Dense<E, double> a{std::vector(size, std::vector<double>(size))};
      for (std::size_t i = 0; i < size; ++i) {
        const double before = unit * (1 + static_cast<double>(i % 3)), after = 0.1 * unit;
        a.rows[i][i] += before + after;
        a.rows[i][(i + size - 1) % size] -= before;
        a.rows[i][(i + 1) % size] -= after;
      }
      std::int64_t marked = 0;
      const auto M = inverse_of(exec, a, marked, false);
      const auto AMA = times(times(a.rows, M), a.rows);
      double off = 0, most = 0;
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
          off = std::max(off, std::abs(AMA[i][j] - a.rows[i][j]) / unit);
          most = std::max(most, std::abs(M[i][j]) * unit);
        }
      }
      CHECK(off < 1e-9);
      CHECK(most < 1e4);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(in_range, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("inverses and pseudo-inverses", T, inverses) {
  using E = typename T::Exec;
  using S = typename T::Scalar;
  const E exec;
  for (const double unit : {0.0, 3.0}) {
    for (const int parts : {1, 2, 9}) {
      for (const int length : {5, 13}) {
        for (const double held : {0.0, 1.0}) {
          CAPTURE(unit);
          CAPTURE(parts);
          CAPTURE(length);
          CAPTURE(held);
          const auto a = laplacian_of_chains<E, S>(parts, length, held, unit);
          std::int64_t marked = 0;
          const auto M = inverse_of(exec, a, marked);
          CHECK(marked == 0);
          // A M A = A relative to the diagonal; M is Hermitian and definite.
          const auto AMA = times(times(a.rows, M), a.rows);
          double off = 0, image = 0;
          bool hermitian = true, positive = true;
          for (std::size_t i = 0; i < M.size(); ++i) {
            S sum(0);
            for (std::size_t j = 0; j < M.size(); ++j) {
              const double scale = std::sqrt(Kokkos::abs(a.rows[i][i] * a.rows[j][j]));
              off =
                  std::max(off, static_cast<double>(Kokkos::abs(AMA[i][j] - a.rows[i][j])) / scale);
              hermitian = hermitian && M[i][j] == conjugate(M[j][i]);
              sum += M[i][j];
            }
            image = std::max(image, static_cast<double>(Kokkos::abs(sum)));
            positive = positive && heddle::detail::real_part(M[i][i]) > 0;
          }
          CHECK(off < 1e-9);
          CHECK(hermitian);
          CHECK(positive);
          // With real entries of one unit, up to signs, the part on the nullspace is small.
          if (held == 0 && unit == 0 && !is_complex<S>) CHECK(image < 30);
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(
    inverses, Every<std::tuple<double, Kokkos::complex<double>>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("negative pivots are marked, and nothing is NaN", T, negatives) {
  using E = typename T::Exec;
  const E exec;
  for (int seed = 1; seed <= (emulated ? 20 : 200); ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const std::size_t n = 9 + static_cast<std::size_t>(random.below(20));
    Dense<E, double> a{std::vector(n, std::vector<double>(n))};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) a.rows[i][j] = a.rows[j][i] = random.scalar<double>();
      a.rows[i][i] = 0.1 + std::abs(random.scalar<double>());
    }
    std::int64_t marked = 0;
    const auto M = inverse_of(exec, a, marked);
    CHECK(marked > 0);
    bool finite = true;
    for (const auto& row : M) {
      for (const double entry : row) finite = finite && std::isfinite(entry);
    }
    CHECK(finite);
  }
}
TEST_CASE_TEMPLATE_APPLY(negatives, Every<std::tuple<double>, UsualIndices, AllBackends>);

}  // namespace heddle::test
