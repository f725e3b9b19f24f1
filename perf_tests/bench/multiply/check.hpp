// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of a product of matrices of any contestant, on the host in wide precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../../../testing/wide.hpp"
#include "../common/load.hpp"

namespace heddle::bench {

/// A sparse row of sums, each with the magnitude of its terms and their number.
class WideRow {
 public:
  using Wide = test::detail::Wide;
  struct Sum {
    Wide value{0};
    long double magnitude = 0;
    std::int64_t terms = 0;
  };

  explicit WideRow(std::size_t columns) : sums_(columns) {}

  void add(std::size_t column, const Wide& value, long double magnitude) {
    Sum& sum = sums_[column];
    if (sum.terms == 0) columns_.push_back(column);
    sum.value = sum.value + value;
    sum.magnitude += magnitude;
    longest_ = std::max(longest_, ++sum.terms);
  }
  /// Number of terms of the longest sum.
  std::int64_t longest() const { return longest_; }
  std::size_t size() const { return columns_.size(); }

  Sum take(std::size_t column) { return std::exchange(sums_[column], {}); }
  /// Calls use(column, sum) for each sum, and empties the row.
  template <class Use>
  void take_all(const Use& use) {
    for (const std::size_t column : columns_) {
      const Sum sum = take(column);
      if (sum.terms > 0) use(column, sum);
    }
    columns_.clear();
    longest_ = 0;
  }

 private:
  std::vector<Sum> sums_;
  std::vector<std::size_t> columns_;
  std::int64_t longest_ = 0;
};

/// Adds `from` times A to `to`, and empties `from`.
template <class Matrix>
void multiply_row(WideRow& to, WideRow& from, const Matrix& A) {
  from.take_all([&](std::size_t row, const WideRow::Sum& factor) {
    each_entry(A, row, [&](std::size_t column, const auto& entry) {
      const WideRow::Wide value(entry);
      to.add(column, factor.value * value, factor.magnitude * test::detail::magnitude(value));
    });
  });
}

/// The largest error of a row of C over a bound of rounding by `epsilon` in sums of `terms`;
/// infinite if its columns are wrong or repeated. Empties `expected`.
template <class Matrix>
double row_error(const Matrix& C, std::size_t row, WideRow& expected, std::int64_t terms,
                 long double epsilon) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  double worst = C.row_ptr()(row + 1) - C.row_ptr()(row) ==
                         static_cast<typename Matrix::offset_type>(expected.size())
                     ? 0
                     : wrong;
  for (auto k = C.row_ptr()(row); k < C.row_ptr()(row + 1); ++k) {
    const auto column = C.col_idx()(k);
    if (column < 0 || column >= C.columns()) return wrong;
    const WideRow::Sum sum = expected.take(static_cast<std::size_t>(column));
    const long double error = test::detail::magnitude(sum.value - WideRow::Wide(C.values()(k)));
    const long double bound = static_cast<long double>(terms + 4) * epsilon * sum.magnitude;
    const double share = sum.terms == 0 || bound == 0 ? (error == 0 && sum.terms > 0 ? 0 : wrong)
                                                      : static_cast<double>(error / bound);
    worst = share <= worst ? worst : std::isnan(share) ? wrong : share;
  }
  expected.take_all([](std::size_t, const WideRow::Sum&) {});
  return worst;
}

/// The largest row_error() of C = A B, or of C = R A B if R is not null. Large products are checked
/// only in every n-th row.
template <class Matrix>
double product_error(const Matrix& C, const Matrix* R, const Matrix& A, const Matrix& B,
                     double products) {
  using S = typename Matrix::scalar_type;
  constexpr long double epsilon = std::numeric_limits<RealOf<S>>::epsilon();
  constexpr double most_products = 2e8;
  const auto step = static_cast<std::size_t>(1 + products / most_products);
  const auto rows = static_cast<std::size_t>(C.rows());
  const auto ordinals = [](const auto size) { return static_cast<std::size_t>(size); };
  WideRow of_A(ordinals(A.rows())), of_B(ordinals(A.columns())), of_C(ordinals(B.columns()));
  double worst = 0;
  for (std::size_t row = 0; row < rows; row += step) {
    if (R) {
      each_entry(*R, row, [&](std::size_t column, const S& entry) {
        const WideRow::Wide value(entry);
        of_A.add(column, value, test::detail::magnitude(value));
      });
    } else {
      of_A.add(row, WideRow::Wide(1), 1);
    }
    std::int64_t terms = of_A.longest();
    multiply_row(of_B, of_A, A);
    terms += of_B.longest();
    multiply_row(of_C, of_B, B);
    terms += of_C.longest();
    worst = std::max(worst, row_error(C, row, of_C, terms, epsilon));
  }
  return worst;
}

}  // namespace heddle::bench
