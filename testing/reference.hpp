// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: y = alpha op(A) x + beta y, one entry after the other in wider precision, and the
// error that a result may have.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/matrix.hpp"
#include "wide.hpp"

namespace heddle::test {

/// The exact result (to the precision of long double) and, for each entry, what its rounding errors
/// are proportional to: the sum of the magnitudes that were added, without infinite and NaN ones,
/// and their number. Column by column.
struct Reference {
  std::size_t rows = 0;
  std::vector<detail::Wide> values;
  std::vector<long double> magnitudes;
  std::vector<std::int64_t> terms;
  /// Largest factor by which alpha may have made an entry smaller.
  long double growth = 1;

  void add(std::size_t at, const detail::Wide& value) {
    values[at] = values[at] + value;
    const long double added = detail::magnitude(value);
    if (std::isfinite(added)) magnitudes[at] += added;
    terms[at] += 1;
  }
};

/// op(A) x of a matrix and vectors on the host, x of rank 1 or 2. If op does not transpose, it runs
/// on the host's threads.
template <class Matrix, VectorView X>
Reference reference_product(Op op, const Matrix& A, const X& x) {
  using Number = detail::WideOf<typename Matrix::scalar_type, typename X::non_const_value_type>;
  const auto rows = static_cast<std::size_t>(A.rows());
  const auto size = static_cast<std::size_t>(transposes(op) ? A.columns() : A.rows());
  const std::size_t columns = X::rank() == 1 ? 1 : x.extent(1);
  Reference reference{size, std::vector<detail::Wide>(size * columns),
                      std::vector<long double>(size * columns),
                      std::vector<std::int64_t>(size * columns)};
  const auto entry = [&](auto e) {
    return Number(conjugates(op) ? conjugate(A.values()(e)) : A.values()(e));
  };
  if (transposes(op)) {
    for (std::size_t k = 0; k < columns; ++k) {
      for (std::size_t i = 0; i < rows; ++i) {
        for (auto e = A.row_ptr()(i); e < A.row_ptr()(i + 1); ++e) {
          const auto j = static_cast<std::size_t>(A.col_idx()(e));
          reference.add(k * size + j, detail::Wide(entry(e) * Number(detail::at(x, i, k))));
        }
      }
    }
    return reference;
  }
  const auto compute_row = [&](std::size_t i, std::size_t k) {
    const auto begin = A.row_ptr()(i), end = A.row_ptr()(i + 1);
    Number sum(0);
    long double magnitude = 0;
    const auto term = [&](auto e) {
      return entry(e) * Number(detail::at(x, static_cast<std::size_t>(A.col_idx()(e)), k));
    };
    for (auto e = begin; e < end; ++e) {
      const Number value = term(e);
      sum = sum + value;
      magnitude += detail::magnitude(value);
    }
    if (!std::isfinite(magnitude)) {
      magnitude = 0;
      for (auto e = begin; e < end; ++e) {
        const long double added = detail::magnitude(term(e));
        if (std::isfinite(added)) magnitude += added;
      }
    }
    reference.values[k * size + i] = detail::Wide(sum);
    reference.magnitudes[k * size + i] = magnitude;
    reference.terms[k * size + i] = static_cast<std::int64_t>(end - begin);
  };
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Host host;
  Kokkos::parallel_for("heddle::test::reference",
                       Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(host, 0, rows),
                       [&](std::size_t i) {
                         for (std::size_t k = 0; k < columns; ++k) compute_row(i, k);
                       });
  host.fence("heddle::test::reference");
  return reference;
}

/// alpha product + beta y. If alpha or beta is zero, the product or y is not read: its infinite and
/// NaN entries are not part of the result.
template <class Alpha, class Beta, VectorView Y>
Reference scaled(const Alpha& alpha, Reference product, const Beta& beta, const Y& y) {
  const detail::Wide a(alpha), b(beta);
  const long double size = detail::magnitude(a);
  if (size != 0) product.growth = std::max(1.0L, 1 / size);
  for (std::size_t at = 0; at < product.values.size(); ++at) {
    if (size == 0) {
      product.values[at] = {};
      product.magnitudes[at] = 0;
      product.terms[at] = 0;
    } else {
      product.values[at] = a * product.values[at];
      product.magnitudes[at] *= size;
    }
    if (detail::magnitude(b) == 0) continue;
    product.add(at, b * detail::Wide(detail::at(y, at % product.rows, at / product.rows)));
  }
  return product;
}

/// The exact SpMV of a matrix on the host. x and y are on the host, of rank 1, or of rank 2 with as
/// many columns. y has the old entries; it is not read if beta is zero.
template <class Matrix, class Alpha, VectorView X, class Beta, VectorView Y>
Reference reference_spmv(Op op, const Alpha& alpha, const Matrix& A, const X& x, const Beta& beta,
                         const Y& y) {
  return scaled(alpha, reference_product(op, A, x), beta, y);
}

template <class Matrix, VectorView X, VectorView Y>
Reference reference_spmv(const Matrix& A, const X& x, const Y& y) {
  return reference_spmv(Op::none, 1.0, A, x, 0.0, y);
}

/// Error bound of an entry of y whose terms are added in any order at precision `Precision`: 8 + 2
/// sqrt(terms) epsilon, for complex numbers four times that, times the sum of the magnitudes.
/// Rounding errors of random data have both signs, and the worst case, which grows with the number
/// of terms, would hide a term that is missing from a long row. Zero if there are no terms.
template <Scalar Precision>
long double allowed_error(const Reference& reference, std::size_t at) {
  using Limits = std::numeric_limits<RealOf<Precision>>;
  const auto terms = static_cast<long double>(reference.terms[at]);
  if (terms == 0) return 0;
  constexpr long double factor = is_complex<Precision> ? 4 : 1;
  return factor * (8 + 2 * std::sqrt(terms)) * Limits::epsilon() * reference.magnitudes[at] +
         Limits::min();
}

/// The error of one entry over its bound: correct if at most 1.
///
/// Infinite and NaN terms must give what IEEE arithmetic gives in any order: NaN if there is a NaN
/// or infinities of both signs, else the infinity; for complex numbers, whose products have several
/// forms, both parts must not be finite. If finite terms are so large that their sum may overflow
/// on the way, the result depends on the order, and any infinity or NaN is correct.
template <Scalar Precision, Scalar S>
double error_over_bound(const Reference& reference, std::size_t at, const S& result) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  const detail::Wide got(result), expected = reference.values[at];
  const long double largest = std::numeric_limits<RealOf<Precision>>::max();
  if (!got.finite() && !(reference.magnitudes[at] * reference.growth < largest)) return 0;
  if (!expected.finite()) return detail::same_class<is_complex<S>>(got, expected) ? 0 : wrong;
  if (!got.finite()) return wrong;
  const long double error = detail::magnitude(got - expected);
  const long double allowed = allowed_error<Precision>(reference, at);
  if (error == 0) return 0;
  return allowed == 0 ? wrong : static_cast<double>(error / allowed);
}

/// The largest error over its bound of a host vector `y`, computed on the host's threads; y must
/// have the reference's shape.
template <VectorView Y>
double error_over_bound(const Reference& reference, const Y& y) {
  using S = typename Y::non_const_value_type;
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Host host;
  double worst = 0;
  Kokkos::parallel_reduce(
      "heddle::test::compare", Kokkos::RangePolicy<Host>(host, 0, reference.values.size()),
      [&](std::size_t at, double& largest) {
        const S& got = detail::at(y, at % reference.rows, at / reference.rows);
        largest = std::max(largest, error_over_bound<S>(reference, at, got));
      },
      Kokkos::Max<double>(worst));
  host.fence("heddle::test::compared");
  return std::max(worst, 0.0);
}

/// Describes what is wrong with a host vector `y`; empty if every entry is right at precision
/// `Precision`, by default y's own.
///
///     CHECK(mismatch(reference, y) == "");
template <class Precision = void, VectorView Y>
std::string mismatch(const Reference& reference, const Y& y) {
  using S = std::remove_const_t<typename Y::value_type>;
  using Used = std::conditional_t<std::is_void_v<Precision>, S, Precision>;
  const std::size_t columns = Y::rank() == 1 ? 1 : y.extent(1);
  std::ostringstream text;
  if (y.extent(0) != reference.rows || reference.rows * columns != reference.values.size()) {
    text << "y is " << y.extent(0) << " x " << columns << " where the result is " << reference.rows
         << " x " << (reference.rows ? reference.values.size() / reference.rows : 0);
    return text.str();
  }
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < reference.values.size(); ++at) {
    const std::size_t i = at % reference.rows, k = at / reference.rows;
    const S& got = detail::at(y, i, k);
    if (error_over_bound<Used>(reference, at, got) <= 1 || ++wrong > 1) continue;
    text << "entry (" << i << ", " << k << ") is " << detail::Wide(got) << ", not "
         << reference.values[at] << " within " << allowed_error<Used>(reference, at);
  }
  if (wrong > 1) text << ", and " << wrong - 1 << " more are wrong";
  return text.str();
}

}  // namespace heddle::test
