// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of incomplete factors of any contestant, on the host in wide precision.
#pragma once

#include "../common/sequential.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// Rounding error of a result: `epsilon` relative, and `smallest` absolute below the normal range.
struct Rounding {
  long double epsilon;
  long double smallest;
};
template <class Real>
inline constexpr Rounding rounding{std::numeric_limits<Real>::epsilon(),
                                   std::numeric_limits<Real>::min()};

/// Sets `worst` to the larger of it and error / bound; NaN is the largest.
inline void keep_worst(double& worst, long double error, long double bound) {
  const auto over = static_cast<double>(error > 0 ? error / bound : 0);
  worst = over <= worst ? worst : over;
}

/// A sum, the magnitudes of its terms, and their loss by underflow.
struct MeasuredSum {
  test::detail::Wide sum{0};
  long double magnitude = 0;
  long double lost = 0;
  void add(const test::detail::Wide& term) {
    sum = sum + term;
    magnitude += test::detail::magnitude(term);
  }
};

/// The largest error of an entry of A - LU in the pattern over the bound of its rounding error, for
/// any order of an elimination: 4 (terms + 4) epsilon (|A| + |L| |U|), where underflow adds the
/// smallest number for each term, and that times the pivot for an entry of L.
template <Scalar S, Offset Off, class Factors>
double factor_error(const HostStorage<S, Off>& A, const Factors& f, const Rounding& by) {
  using test::detail::Wide, test::detail::magnitude;
  constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(f.rows(), nowhere);  // position of each column in the row
  std::vector<MeasuredSum> rest;
  double worst = 0;
  for (std::size_t i = 0; i < f.rows(); ++i) {
    rest.assign(f.begin(i + 1) - f.begin(i), {});
    for (std::size_t k = f.begin(i); k < f.begin(i + 1); ++k) place[f.column(k)] = k - f.begin(i);
    const auto add = [&](std::size_t column, const Wide& term) {
      if (place[column] == nowhere) return;
      rest[place[column]].add(term);
      rest[place[column]].lost += by.smallest;
    };
    const auto divided = [&](std::size_t k, const Wide& pivot) {
      rest[k - f.begin(i)].lost += by.smallest * magnitude(pivot);
    };
    each_entry(A, i, [&](std::size_t j, const S& value) { add(j, Wide(value)); });
    for (std::size_t k = f.begin(i); k < f.begin(i + 1); ++k) {
      const std::size_t t = f.column(k);
      const Wide left = Wide(0) - Wide(f.values(k));
      if (f.cholesky) {
        // Entry (i, t) of L L^H for each column t of row i: row i times the conjugate of row t.
        std::size_t p = f.begin(i);
        for (std::size_t q = f.begin(t); q < f.begin(t + 1); ++q) {
          while (f.column(p) < f.column(q) && p < k) ++p;
          if (f.column(p) != f.column(q)) continue;
          const Wide right(f.values(q));
          if (f.column(q) == t) divided(k, right);
          add(t, (Wide(0) - Wide(f.values(p))) * Wide(right.re, -right.im));
        }
      } else if (t >= i) {
        add(t, left);
      } else {
        for (std::size_t q = f.begin(t); q < f.begin(t + 1); ++q) {
          if (f.column(q) == t) divided(k, Wide(f.values(q)));
          if (f.column(q) >= t) add(f.column(q), left * Wide(f.values(q)));
        }
      }
    }
    const auto terms = static_cast<long double>(f.begin(i + 1) - f.begin(i) + 4);
    for (std::size_t k = f.begin(i); k < f.begin(i + 1); ++k) place[f.column(k)] = nowhere;
    for (const MeasuredSum& sum : rest) {
      keep_worst(worst, magnitude(sum.sum), terms * 4 * (by.epsilon * sum.magnitude + sum.lost));
    }
  }
  return worst;
}

/// The largest error of b - L U x over 8 (longest row + 4) epsilon (|b| + |L| |U| |x|) + underflow.
template <class Factors, class Columns>
double apply_error(const Factors& f, const Columns& b, const Columns& x, const Rounding& by) {
  using test::detail::Wide, test::detail::magnitude;
  double worst = 0;
  const std::size_t n = f.rows();
  std::size_t longest = 0;
  std::vector<MeasuredSum> y(n);
  for (std::size_t v = 0; v < b.extent(1); ++v) {
    std::fill(y.begin(), y.end(), MeasuredSum());
    for (std::size_t i = 0; i < n; ++i) {
      longest = std::max(longest, f.begin(i + 1) - f.begin(i));
      for (std::size_t k = f.begin(i); k < f.begin(i + 1); ++k) {
        const std::size_t j = f.column(k);
        const Wide entry(f.values(k));
        y[f.cholesky ? j : i].lost += by.smallest * (1 + magnitude(entry));
        if (f.cholesky) {
          y[j].add(Wide(entry.re, -entry.im) * Wide(x(i, v)));
        } else if (j >= i) {
          y[i].add(entry * Wide(x(j, v)));
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      MeasuredSum rest;
      rest.add(Wide(b(i, v)));
      for (std::size_t k = f.begin(i); k < f.begin(i + 1); ++k) {
        const std::size_t j = f.column(k);
        if (j > i || (j == i && !f.cholesky)) continue;
        const Wide entry = Wide(0) - Wide(f.values(k));
        rest.sum = rest.sum + entry * y[j].sum;
        rest.magnitude += magnitude(entry) * y[j].magnitude;
        rest.lost += by.smallest + magnitude(entry) * (by.smallest + y[j].lost);
      }
      if (!f.cholesky) {
        rest.sum = rest.sum - y[i].sum;
        rest.magnitude += y[i].magnitude;
        rest.lost += y[i].lost;
      }
      const auto terms = static_cast<long double>(longest + 4);
      keep_worst(worst, magnitude(rest.sum), 8 * terms * (by.epsilon * rest.magnitude + rest.lost));
    }
  }
  return worst;
}

/// The largest error over its bound of the timed result on the host: of the factors, or of the x of
/// an apply or of a solve.
template <Scalar S, Offset Off, class Factors, class Columns>
double timed_error(const IluProblem<S, Off>& problem, Timed timed, const Factors& factors,
                   const Columns& x, const Rounding& of_factors = rounding<RealOf<S>>) {
  if (timed == Timed::factor) return factor_error(problem.host, factors, of_factors);
  if (timed == Timed::solve) {
    return solve_error(problem.host, problem.host_b, x, solve_limits.tolerance);
  }
  return apply_error(factors, problem.host_b, x, rounding<RealOf<S>>);
}

/// The problem; throws Error unless it is ILU(0), or with `cholesky` IC(0), of A and one column.
template <Scalar S, Offset Off>
const IluProblem<S, Off>& without_fill(const IluProblem<S, Off>& problem, bool cholesky) {
  if (problem.columns > 1) throw Error("several columns are not compared", "use --columns 1");
  const IluOptions& options = problem.options;
  if (options.fill_level > 0 || options.subdomains > 1 || (problem.cholesky && !cholesky)) {
    throw Error(cholesky ? "this library has ILU(0) and IC(0) of the whole matrix"
                         : "this library is compared by ILU(0) of the whole matrix",
                "leave out level, subdomains and factors");
  }
  return problem;
}

}  // namespace heddle::bench
