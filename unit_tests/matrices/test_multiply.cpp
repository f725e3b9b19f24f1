// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, bit by bit against a serial one: values show the order of a sum, and
// products are exact.
#include <array>
#include <numeric>

#include "../../testing/events.hpp"
#include "matrices/support.hpp"
#include "support/moves_only.hpp"

namespace heddle::test {

namespace {

/// The pattern with some rows out of order, and repeated entries.
Pattern unordered(const Pattern& pattern) {
  int row_number = 0;
  return with_rows_changed(pattern, [&](std::vector<std::int64_t>& row) {
    ++row_number;
    if (row_number % 3 == 0) std::ranges::reverse(row);
    if (row_number % 4 == 0 && !row.empty()) row.insert(row.begin(), row.back());
  });
}

template <class T>
void check_product_with(const typename T::Exec& exec, const Pattern& left, const Pattern& right,
                        const MultiplyOptions& options) {
  using S = typename T::Scalar;
  CAPTURE(left.name);
  CAPTURE(right.name);
  const auto A = rough<T>(exec, left, 1), B = rough<T>(exec, right, 2),
             A2 = rough<T>(exec, left, 3), B2 = rough<T>(exec, right, 4);
  const auto expected = [&](S alpha, const auto& M, const auto& N) {
    return product(alpha, with_op(written_down(M.host.matrix()), options.op_a),
                   with_op(written_down(N.host.matrix()), options.op_b));
  };
  MultiplyPlan plan(exec, A.matrix(), B.matrix(), options);
  plan.numeric(exec, A.matrix(), B.matrix());
  exec.fence("heddle::test::multiplied");
  REQUIRE((written_down(plan.matrix()) == expected(S(1), A, B)));
  only_launches(exec, [&] { plan.numeric(exec, S(2), A2.matrix(), B2.matrix()); });
  CHECK((written_down(plan.matrix()) == expected(S(2), A2, B2)));
  plan.numeric(exec, S(0), A2.matrix(), B2.matrix());
  exec.fence("heddle::test::multiplied");
  CHECK((written_down(plan.matrix()) == expected(S(0), A2, B2)));
}

/// Checks a product with a list of products and without.
template <class T>
void check_product(const typename T::Exec& exec, const Pattern& left, const Pattern& right,
                   MultiplyOptions options = {}) {
  for (const bool keeps : {true, false}) {
    options.keep_products = keeps;
    check_product_with<T>(exec, left, right, options);
  }
}

Pattern short_rows(std::int64_t rows, std::int64_t columns) {
  return random_pattern("short rows", 9, rows, columns, [](std::int64_t i) { return i % 5; });
}

/// Rows of C of every group, and cut rows: some fill the scratch, and some exceed it.
Pattern long_left() {
  return random_pattern("long left", 4, 40, 400, [](std::int64_t i) {
    return i == 7 ? 400 : i == 20 ? 60 : i % 4;
  });
}
Pattern long_right() {
  return random_pattern("long right", 5, 400, emulated ? 9000 : 70000,
                        [](std::int64_t i) { return i % 50 ? (emulated ? 20 : 90) : 700; });
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("products: in the order of A's row, to the last bit", T, products) {
  const typename T::Exec exec;
  for (const Pattern& A : test_patterns()) {
    const auto rows = std::ssize(A.rows.row_ptr()) - 1;
    const Pattern B = short_rows(A.columns, 61);
    check_product<T>(exec, A, B);
    check_product<T>(exec, unordered(A), unordered(B));
    if (A.nonzeros() < cut(20000)) {
      check_product<T>(exec, short_rows(30, rows), A);
      for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
        check_product<T>(exec, A, short_rows(rows, 20), {.op_a = op});
        check_product<T>(exec, short_rows(20, A.columns), unordered(A), {.op_b = op});
      }
      check_product<T>(exec, A, B, {.op_a = Op::conjugate, .op_b = Op::conjugate});
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(products, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("long rows of a product are cut, and added up in order all the same", T,
                          long_products) {
  const typename T::Exec exec;
  check_product<T>(exec, long_left(), long_right());
  check_product<T>(exec, unordered(long_left()), unordered(long_right()), {.workspace_bytes = 1});
  const Pattern dense = random_pattern("dense", 6, 3, emulated ? 5000 : 40000,
                                       [](std::int64_t) { return emulated ? 5000 : 40000; });
  const Pattern two = random_pattern("two", 6, 2, 3, [](std::int64_t) { return 2; });
  check_product<T>(exec, two, dense);
  check_product<T>(exec, dense, short_rows(dense.columns, 900));
  // A few entries of C have most of the products.
  const Pattern one_long =
      random_pattern("one long row", 6, 60, 2000, [](std::int64_t i) { return i == 5 ? 2000 : 2; });
  check_product<T>(exec, one_long,
                   random_pattern("ten", 7, 2000, 40, [](std::int64_t) { return 10; }));
}
TEST_CASE_TEMPLATE_APPLY(long_products, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("products: columns are found once where there is room for a list", T,
                          listed_columns) {
  const typename T::Exec exec;
  const Pattern left = short_rows(90, 70), right = short_rows(70, 50);
  const auto A = rough<T>(exec, left, 1), B = rough<T>(exec, right, 2);
  const auto kernels = [&](const MultiplyOptions& options) {
    const Recording recording;
    const MultiplyPlan plan(exec, A.matrix(), B.matrix(), options);
    return labels(Recording::seen(), Event::kernel);
  };
  check_product<T>(exec, left, right, {.workspace_bytes = 1});
  check_product<T>(exec, long_left(), long_right(), {.workspace_bytes = 1 << 12});
  check_product<T>(exec, left, right, {.check = false});
  if (!backends::has_lanes<typename T::Exec>) return;
  const std::string once = "heddle::multiply::copy_columns",
                    twice = "heddle::multiply::write_columns";
  CHECK(mentions(kernels({}), once));
  CHECK(!mentions(kernels({}), twice));
  const std::string no_room = kernels({.workspace_bytes = 1}),
                    bounded = kernels({.max_bytes = 1 << 30});
  CHECK(!mentions(no_room, once));
  CHECK(mentions(no_room, twice));
  CHECK(!mentions(bounded, once));
  CHECK(mentions(bounded, twice));
}
TEST_CASE_TEMPLATE_APPLY(listed_columns, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("products: a thread has sums for what a row spans, or a table", T,
                          sums_within_a_cache) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  if (backends::has_lanes<typename T::Exec>) return;
  const auto kernels = [&](const Pattern& left, const Pattern& right) {
    const auto A = rough<T>(exec, left, 1), B = rough<T>(exec, right, 2);
    MultiplyPlan plan(exec, A.matrix(), B.matrix());
    return labels(only_launches(exec, [&] { plan.numeric(exec, A.matrix(), B.matrix()); }),
                  Event::kernel);
  };
  const std::string dense = "heddle::multiply::dense_sums", table = "heddle::multiply::sums";
  // Rows of C span up to 2 * 40 + 1 columns, so 128 sums, and have 13 entries, but at the ends.
  const auto threads = static_cast<std::size_t>(backends::threads_at_once(exec));
  const auto rows = static_cast<std::int64_t>(900 + 16 * threads);
  const Pattern band = banded_pattern("band", rows, rows, {-20, -1, 0, 1, 20});
  const Pattern first_and_last{"ends", 3000, {{0, 2999}, {}, {2999}, {0, 1, 2}}};
  const Pattern four = random_pattern("four", 5, 50, 4, [](std::int64_t i) { return i % 5; });
  for (const std::size_t bytes : {std::size_t{1}, 128 * sizeof(S), 4096 * sizeof(S)}) {
    CAPTURE(bytes);
    const std::size_t before = backends::assume_core_cache_bytes(bytes);
    check_product<T>(exec, band, band);
    check_product<T>(exec, four, first_and_last);
    check_product<T>(exec, unordered(four), unordered(first_and_last));
    CHECK(mentions(kernels(band, band), dense));  // all threads' sums are fewer than C's entries
    const std::string ends = kernels(four, first_and_last);
    CHECK(mentions(ends, bytes == 4096 * sizeof(S) ? dense : table));
    CHECK(!mentions(ends, bytes == 4096 * sizeof(S) ? table : dense));
    backends::assume_core_cache_bytes(before);
  }
  const auto A = rough<T>(exec, band, 1);
  const MultiplyPlan plan(exec, A.matrix(), A.matrix());
  CHECK(plan.bytes() - plan.storage().bytes() <= threads * (128 * sizeof(S) + 64 + 8) + 1024);
  // One row has one array, however many threads there are, and it counts while C is made.
  const std::size_t before = backends::assume_core_cache_bytes(4096 * sizeof(S));
  const auto one = rough<T>(exec, Pattern{"one row", 1, {{0}}}, 1),
             row = rough<T>(exec, Pattern{"a short row", 1 << 20, {{0, 2999}}}, 2);
  std::vector<Event> seen;
  {
    const Recording recording;
    const MultiplyPlan of_one(exec, one.matrix(), row.matrix());
    seen = Recording::seen();
    CHECK(of_one.bytes() - of_one.storage().bytes() <= 4096 * sizeof(S) + 64 + 1024);
    // Each of at most ten allocations is aligned.
    CHECK(most_held(seen) <= of_one.peak_bytes() + 2560);
    CHECK(mentions(labels(seen, Event::allocation), "heddle::multiply::dense_sums"));
  }
  backends::assume_core_cache_bytes(before);
}
TEST_CASE_TEMPLATE_APPLY(sums_within_a_cache, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("entries that occupy a device are a thread's each, unless one is long", T,
                          entries_of_threads) {
  const typename T::Exec exec;
  if (!emulated) return;  // eight times the resident teams of an H100: too many to test
  const auto full = [](const char* name, std::int64_t rows, std::int64_t columns) {
    return random_pattern(name, 4, rows, columns, [=](std::int64_t) { return columns; });
  };
  const auto kernels = [&](const Pattern& left, const Pattern& right) {
    const auto A = rough<T>(exec, left, 1), B = rough<T>(exec, right, 2);
    MultiplyPlan plan(exec, A.matrix(), B.matrix(), {.keep_products = true});
    return labels(only_launches(exec, [&] { plan.numeric(exec, A.matrix(), B.matrix()); }),
                  Event::kernel);
  };
  // 33,124 entries of four products each; or of five each, more than a 32,768th of all products.
  CHECK(mentions(kernels(full("tall", 182, 4), full("wide", 4, 182)),
                 "heddle::multiply::sum_of_list"));
  CHECK(mentions(kernels(full("tall", 165, 5), full("wide", 5, 165)),
                 "heddle::multiply::sums_of_list"));
  check_product<T>(exec, full("tall", 182, 4), full("wide", 4, 182), {});
}
TEST_CASE_TEMPLATE_APPLY(entries_of_threads, MatrixTypes);

/// Rows of C with 10 columns of 400 products, but for one of 800 and one of 5,200, all different:
/// tables that are sized for the others are too small, once, twice, and for any size.
TEST_CASE_TEMPLATE_DEFINE("products: rows that are longer than most rows of as many products", T,
                          longer_than_estimated) {
  const typename T::Exec exec;
  const auto from = [](std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> row(static_cast<std::size_t>(count));
    std::iota(row.begin(), row.end(), first);
    return row;
  };
  Pattern left{"left", 120, {}}, right{"right", 5200, {}};
  for (int i = 0; i < 24; ++i) left.rows.push_back(from(i == 5 ? 40 : i == 17 ? 80 : 0, 40));
  const std::vector<std::int64_t> shared{0, 3, 4, 9, 50, 51, 52, 5000, 5001, 5199};
  right.rows.push_back(shared, 40);
  for (int j = 0; j < 40; ++j) right.rows.push_back(from(20 * j, 20));
  for (int j = 0; j < 40; ++j) right.rows.push_back(from(130 * j, 130));
  for (const MultiplyOptions& options : {MultiplyOptions{}, MultiplyOptions{.workspace_bytes = 1},
                                         MultiplyOptions{.max_bytes = 1 << 30}}) {
    check_product<T>(exec, left, right, options);
  }
}
TEST_CASE_TEMPLATE_APPLY(longer_than_estimated, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("a product's pattern holds that of D, which is added last", T, with_D) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto check = [&](const Pattern& left, const Pattern& right, const Pattern& other,
                         const MultiplyOptions& options = {}) {
    const auto A = rough<T>(exec, left, 1), B = rough<T>(exec, right, 2),
               D = rough<T>(exec, other, 3);
    const auto a = written_down(A.host.matrix()), b = written_down(B.host.matrix()),
               d = written_down(D.host.matrix());
    MultiplyPlan plan(exec, A.matrix(), B.matrix(), D.matrix(), options);
    for (const S beta : {S(1), S(-2), S(0)}) {
      for (const S alpha : {S(1), S(4), S(0)}) {
        only_launches(exec,
                      [&] { plan.numeric(exec, alpha, A.matrix(), B.matrix(), beta, D.matrix()); });
        CHECK((written_down(plan.matrix()) == product(alpha, a, b, beta, &d)));
      }
    }
    CHECK(mentions(
        error_of([&] { plan.numeric(exec, S(1), A.matrix(), B.matrix(), S(1), A.matrix()); }),
        "the plan was not made for this D"));
  };
  check(short_rows(90, 70), unordered(short_rows(70, 50)), unordered(short_rows(90, 50)));
  const Pattern wide = random_pattern("wide D", 8, 40, long_right().columns, [](std::int64_t i) {
    return i == 30 ? (emulated ? 4500 : 30000) : i % 7;
  });
  check(long_left(), long_right(), unordered(wide));
  check(long_left(), long_right(), wide, {.workspace_bytes = 1});
  const Pattern thrice = with_rows_changed(wide, [](std::vector<std::int64_t>& row) {
    const std::vector<std::int64_t> once = row;
    for (int times = 0; times < 2; ++times) row.insert(row.end(), once.begin(), once.end());
  });
  check(long_left(), long_right(), thrice, {.check = false});
}
TEST_CASE_TEMPLATE_APPLY(with_D, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("triple products, with a restriction and with the transpose of P", T,
                          triple_products) {
  const typename T::Exec exec;
  const Pattern grid = banded_pattern("five-point", 600, 600, {-25, -1, 0, 1, 25});
  const Pattern aggregates =
      random_pattern("aggregates", 7, 600, 90, [](std::int64_t i) { return 1 + i % 2; });
  const auto A = rough<T>(exec, grid, 1), A2 = rough<T>(exec, grid, 5),
             P = rough<T>(exec, aggregates, 2), P2 = rough<T>(exec, aggregates, 4);
  const auto R = transpose(exec, P.matrix(), Op::conjugate_transpose);
  const auto expected = [&](const auto& M, const auto& Q) {
    return galerkin_product(written_down(M.host.matrix()), written_down(Q.host.matrix()));
  };
  GalerkinPlan plan(exec, R.matrix(), A.matrix(), P.matrix());
  plan.numeric(exec, R.matrix(), A.matrix(), P.matrix());
  exec.fence("heddle::test::multiplied");
  CHECK((written_down(plan.matrix()) == expected(A, P)));
  only_launches(exec, [&] { plan.numeric(exec, R.matrix(), A2.matrix(), P.matrix()); });
  CHECK((written_down(plan.matrix()) == expected(A2, P)));
  const auto once = galerkin(exec, R.matrix(), A.matrix(), P.matrix());
  CHECK((written_down(once.matrix()) == expected(A, P)));
  GalerkinPlan of_P(exec, A.matrix(), P.matrix());
  only_launches(exec, [&] { of_P.numeric(exec, A2.matrix(), P2.matrix()); });
  CHECK((written_down(of_P.matrix()) == expected(A2, P2)));
  CHECK(of_P.bytes() > plan.bytes());  // it borrows R
}
TEST_CASE_TEMPLATE_APPLY(triple_products, MatrixTypes);

namespace {

using TripleTypes =
    JoinTuples<MatrixTypes, Every<std::tuple<float>, UsualIndices, std::tuple<DefaultDevice>>>;

/// A matrix of 0, 1 and -1, whose products have no rounding.
template <class T>
DeviceMatrix<T> exact(const typename T::Exec& exec, const Pattern& pattern, std::uint64_t seed) {
  using S = typename T::Scalar;
  const auto host = to_device<T>(exec, pattern, seed).host;
  Random random(seed);
  for (std::size_t k = 0; k < host.values().extent(0); ++k) {
    host.values()(k) = S(static_cast<RealOf<S>>(random.below(3) - 1));
  }
  return to_device<T>(exec, pattern.name, host);
}

/// Checks R A P by one walk, and new values: without rounding every sum, with rounding that sums
/// have one order.
template <class T>
void check_one_walk(const typename T::Exec& exec, const Pattern& of_R, const Pattern& of_A,
                    const Pattern& of_P) {
  using S = typename T::Scalar;
  using One = heddle::detail::matrix_product::TripleProduct<typename T::Exec,
                                                            typename DeviceMatrix<T>::Matrix>;
  CAPTURE(of_A.name);
  CAPTURE(of_P.name);
  {
    const auto R = exact<T>(exec, of_R, 1), A = exact<T>(exec, of_A, 2),
               P = exact<T>(exec, of_P, 3), R2 = exact<T>(exec, of_R, 4),
               A2 = exact<T>(exec, of_A, 5), P2 = exact<T>(exec, of_P, 6);
    const auto expected = [](const auto& L, const auto& M, const auto& N) {
      return product(S(1), written_down(L.host.matrix()),
                     product(S(1), written_down(M.host.matrix()), written_down(N.host.matrix())));
    };
    const One one(exec, R.matrix(), A.matrix(), P.matrix());
    REQUIRE(one.made());
    REQUIRE((written_down(one.matrix()) == expected(R, A, P)));
    only_launches(exec, [&] { one.numeric(exec, R2.matrix(), A2.matrix(), P2.matrix()); });
    CHECK((written_down(one.matrix()) == expected(R2, A2, P2)));
  }
  const auto R = rough<T>(exec, of_R, 4), A = rough<T>(exec, of_A, 5), P = rough<T>(exec, of_P, 6);
  const One one(exec, R.matrix(), A.matrix(), P.matrix()),
      again(exec, R.matrix(), A.matrix(), P.matrix());
  CHECK((written_down(again.matrix()) == written_down(one.matrix())));
  only_launches(exec, [&] { again.numeric(exec, R.matrix(), A.matrix(), P.matrix()); });
  CHECK((written_down(again.matrix()) == written_down(one.matrix())));
}

/// The transpose of a pattern.
Pattern across(const Pattern& pattern) {
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(pattern.columns));
  std::int64_t i = 0;
  for (const auto row : pattern.rows) {
    for (const std::int64_t j : row) rows[static_cast<std::size_t>(j)].push_back(i);
    ++i;
  }
  Pattern result{pattern.name, i, {}};
  for (const auto& row : rows) result.rows.push_back(row);
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("triple products by one walk", T, one_walk) {
  const typename T::Exec exec;
  const auto check = [&](const Pattern& A, const Pattern& P) {
    check_one_walk<T>(exec, across(P), A, P);
  };
  const Pattern grid = banded_pattern("five-point", 600, 600, {-25, -1, 0, 1, 25});
  const auto few = [](std::int64_t rows, std::int64_t columns, std::int64_t most) {
    return random_pattern("few columns", 7, rows, columns,
                          [=](std::int64_t i) { return i * 7 % (most + 1); });
  };
  check(grid, few(600, 45, 3));
  check(unordered(grid), few(600, 45, 3));
  check(grid, few(600, 2000, 2));  // columns of P without entries: empty rows of C
  // Rows of P that are longer than the lanes for the mean row.
  check(banded_pattern("five-point", 100, 100, {-10, -1, 0, 1, 10}), few(100, 40, 30));
  check(banded_pattern("empty", 600, 600, {}), few(600, 45, 3));
  check(banded_pattern("0 x 0", 0, 0, {}), few(0, 0, 3));
  check(grid, random_pattern("one aggregate", 1, 600, 1, [](std::int64_t) { return 1; }));
  check(crossed_pattern(600, 600, true, true), few(600, 100, 2));
  // A row of R, of A and of P that are full; more entries of C than A has.
  check(grid, random_pattern("full rows", 2, 600, 100,
                             [](std::int64_t i) { return i % 200 == 7 ? 100 : 1; }));
  // Rows of C for each size of the table, of few and of many entries of A.
  const Pattern R = random_pattern("few and many", 4, 5, 100, [](std::int64_t i) {
    return std::array{0, 1, 3, 95, 100}[static_cast<std::size_t>(i)];
  });
  // One row of R that is a team's among those of subwarps.
  const Pattern ninety = random_pattern("90 a row", 5, 100, 100, [](std::int64_t) { return 90; });
  check_one_walk<T>(
      exec, random_pattern("one long", 6, 61, 100, [](std::int64_t i) { return i == 7 ? 100 : 1; }),
      ninety, few(100, 60, 3));
  // A full table of R A is multiplied by P, where its last columns have empty rows.
  check_one_walk<T>(exec, banded_pattern("one", 1, 1, {0}),
                    random_pattern("full", 4, 1, 1000, [](std::int64_t) { return 1000; }),
                    random_pattern("few rows", 8, 1000, 40,
                                   [](std::int64_t i) { return i >= 640 && i < 800 ? 0 : 1; }));
  for (const std::int64_t columns : {60, 300, 700}) {
    const Pattern P = random_pattern("rows of all lengths", 3, 100, columns,
                                     [=](std::int64_t i) { return i % 40 == 0 ? columns : i % 3; });
    check_one_walk<T>(exec, R, banded_pattern("diagonal", 100, 100, {0}), P);
    check_one_walk<T>(exec, R, ninety, P);
  }
}
TEST_CASE_TEMPLATE_APPLY(one_walk, TripleTypes);

TEST_CASE_TEMPLATE_DEFINE("new values of another pattern end, too", T, other_pattern) {
  using One = heddle::detail::matrix_product::TripleProduct<typename T::Exec,
                                                            typename DeviceMatrix<T>::Matrix>;
  const typename T::Exec exec;
  // The row of C has 32 columns, then 64 others: the table of those that are known is full.
  const auto columns = [](std::int64_t first, std::int64_t count) {
    Pattern pattern{"one a row", 100, {}};
    for (std::int64_t i = 0; i < 100; ++i) pattern.rows.push_back(std::array{first + i % count});
    return pattern;
  };
  const auto R = exact<T>(exec, random_pattern("full", 4, 1, 100, [](std::int64_t) { return 100; }),
                          1),
             A = exact<T>(exec, columns(0, 32), 2), other = exact<T>(exec, columns(32, 64), 3),
             P = exact<T>(exec, banded_pattern("one", 100, 100, {0}), 4);
  const One one(exec, R.matrix(), A.matrix(), P.matrix());
  const auto made = written_down(one.matrix());
  one.numeric(exec, R.matrix(), other.matrix(), P.matrix());
  one.numeric(exec, R.matrix(), A.matrix(), P.matrix());
  exec.fence("heddle::test::multiplied");
  CHECK((written_down(one.matrix()) == made));
}
TEST_CASE_TEMPLATE_APPLY(other_pattern, TripleTypes);

TEST_CASE_TEMPLATE_DEFINE("a coarse matrix is made by two products if a row is too long", T,
                          coarse_matrix) {
  using Matrix = typename DeviceMatrix<T>::Matrix;
  using Coarse = heddle::detail::CoarseMatrix<typename T::Exec, Matrix>;
  const typename T::Exec exec;
  const double rounding =
      1000 * static_cast<double>(std::numeric_limits<RealOf<typename T::Scalar>>::epsilon());
  for (const std::int64_t longest : {5, 40000}) {
    CAPTURE(longest);
    const Pattern aggregates = random_pattern("aggregates", 7, 60, 40000,
                                              [=](std::int64_t i) { return i == 5 ? longest : 2; });
    const Pattern three = banded_pattern("tridiagonal", 60, 60, {-1, 0, 1});
    const Pattern restriction = random_pattern("restriction", 8, 3, 60, [](auto) { return 40; });
    const auto A = to_device<T>(exec, three, 1), P = to_device<T>(exec, aggregates, 2),
               R = to_device<T>(exec, restriction, 3), A2 = to_device<T>(exec, three, 4);
    const auto expected = [&](const auto& M) {
      const auto product = galerkin(exec, R.matrix(), M.matrix(), P.matrix());
      exec.fence("heddle::test::multiplied");
      return written_down(product.matrix());
    };
    for (const bool one_walk : {true, false}) {
      Coarse coarse(exec, R.matrix(), A.matrix(), P.matrix(), one_walk);
      CHECK(coarse.is_of_one_walk() == (one_walk && longest == 5));
      const auto close = [&](const auto& M) {
        const auto one = written_down(coarse.matrix()), other = expected(M);
        REQUIRE(one.rows.size() == other.rows.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < one.rows.size(); ++i) {
          REQUIRE(one.rows[i].size() == other.rows[i].size());
          double largest = 0;
          for (const auto& entry : other.rows[i]) {
            largest = std::max(largest, static_cast<double>(Kokkos::abs(entry.second)));
          }
          for (std::size_t k = 0; k < one.rows[i].size(); ++k) {
            const auto difference = one.rows[i][k].second - other.rows[i][k].second;
            wrong += one.rows[i][k].first != other.rows[i][k].first ||
                     static_cast<double>(Kokkos::abs(difference)) > rounding * largest;
          }
        }
        return wrong == 0;
      };
      CHECK(close(A));
      only_launches(exec, [&] { coarse.update_values(exec, R.matrix(), A2.matrix(), P.matrix()); });
      CHECK(close(A2));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(coarse_matrix, TripleTypes);

TEST_CASE("products: what NaN and infinity meet, and nothing else") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  auto A = to_device<T>(exec, Pattern{"A", 3, {{0, 1}, {1}, {2}}});
  const auto B = to_device<T>(exec, Pattern{"B", 4, {{0, 2}, {2, 3}, {}}});
  Kokkos::deep_copy(Kokkos::subview(A.device.values(), std::pair(0, 1)), poison<double>());
  const auto C = multiply(exec, A.matrix(), B.matrix());
  exec.fence("heddle::test::multiplied");
  const auto rows = written_down(C.matrix()).rows;
  REQUIRE(rows[0].size() == 3);
  CHECK(std::isnan(rows[0][0].second));
  CHECK(std::isnan(rows[0][1].second));
  CHECK(!std::isnan(rows[0][2].second));
  REQUIRE(rows[1].size() == 2);
  CHECK(!std::isnan(rows[1][0].second));
  CHECK(rows[2].empty());
}

TEST_CASE("products: a list is kept where it is wanted, fits, and is no thread's long way") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  const auto A = to_device<T>(exec, short_rows(60, 40)), B = to_device<T>(exec, short_rows(40, 30));
  const MultiplyPlan with(exec, A.matrix(), B.matrix(), {.keep_products = true});
  const MultiplyPlan without(exec, A.matrix(), B.matrix(), {.keep_products = false});
  const std::size_t list = with.bytes() - without.storage().bytes();
  CHECK(list >= static_cast<std::size_t>(8 * with.products() + 4 * with.nonzeros()));
  CHECK(MultiplyPlan(exec, A.matrix(), B.matrix(), {.max_bytes = without.peak_bytes()}).bytes() <=
        without.peak_bytes());
  const auto row =
      to_device<T>(exec, random_pattern("row", 3, 1, 70000, [](auto) { return 70000; }));
  const auto column =
      to_device<T>(exec, random_pattern("column", 3, 70000, 1, [](auto) { return 1; }));
  const MultiplyPlan unsaid(exec, A.matrix(), B.matrix());
  CHECK(unsaid.bytes() == (backends::has_lanes<DefaultDevice> ? with : without).bytes());
  const MultiplyPlan dot(exec, row.matrix(), column.matrix(), {.keep_products = true});
  CHECK(dot.bytes() ==
        MultiplyPlan(exec, row.matrix(), column.matrix(), {.keep_products = false}).bytes());
  using List = heddle::detail::matrix_product::ProductList<DefaultDevice>;
  // A subwarp advances by up to 256 products; the last step must fit in 32 bits.
  CHECK(List::fits(2147483647 - 256, 10, 10));
  CHECK(!List::fits(2147483647, 10, 10));
  CHECK(List::fits(10, 10, 2147483647));
  CHECK(!List::fits(10, 10, 2147483648));
}

TEST_CASE("products: the workspace is bounded, however many columns there are") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  const std::int64_t columns = 1 << 24;
  const auto A = to_device<T>(exec, short_rows(60, 40)),
             B = to_device<T>(exec, short_rows(40, columns));
  const MultiplyPlan plan(exec, A.matrix(), B.matrix(), {.workspace_bytes = 1});
  CHECK(plan.peak_bytes() < plan.bytes() + columns / 8 + columns / 256 + 100000);
}

TEST_CASE("products: errors say what is needed") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  const auto A = to_device<T>(exec, short_rows(60, 40)), B = to_device<T>(exec, short_rows(40, 30));
  CHECK(mentions(error_of([&] { MultiplyPlan(exec, A.matrix(), A.matrix()); }),
                 "op_a(A) is 60 x 40 and op_b(B) 60 x 40"));
  CHECK(mentions(error_of([&] { MultiplyPlan(exec, A.matrix(), B.matrix(), A.matrix()); }),
                 "D is 60 x 40, and the product 60 x 30"));
  const auto wrong =
      CsrMatrix(40, 20, B.matrix().row_ptr(), B.matrix().col_idx(), B.matrix().values());
  CHECK(mentions(error_of([&] { MultiplyPlan(exec, A.matrix(), wrong); }), "row "));
  const MultiplyPlan plan(exec, A.matrix(), B.matrix(),
                          {.max_bytes = MultiplyOptions::no_bound - 1, .keep_products = false});
  const std::size_t needed = plan.peak_bytes();
  CHECK(needed > plan.bytes());
  CHECK(mentions(
      error_of([&] { MultiplyPlan(exec, A.matrix(), B.matrix(), {.max_bytes = needed - 1}); }),
      "needs " + std::to_string(needed) + " bytes, and max_bytes is " +
          std::to_string(needed - 1)));
  CHECK(MultiplyPlan(exec, A.matrix(), B.matrix(), {.max_bytes = needed, .keep_products = false})
            .bytes() <= needed);
  // The limit is checked before memory is allocated.
  const auto unordered_B = to_device<T>(exec, unordered(short_rows(40, 30)));
  const Recording recording;
  CHECK(mentions(error_of([&] { MultiplyPlan(exec, A.matrix(), B.matrix(), {.max_bytes = 99}); }),
                 "needs at least "));
  CHECK(mentions(
      error_of([&] { MultiplyPlan(exec, A.matrix(), unordered_B.matrix(), {.max_bytes = 99}); }),
      "needs at least "));
  CHECK(mentions(error_of([&] {
                   MultiplyPlan(exec, A.matrix(), B.matrix(),
                                {.op_b = Op::conjugate, .max_bytes = 99});
                 }),
                 "needs at least "));
  CHECK(labels(Recording::seen(), Event::allocation) == "");
  MultiplyPlan other(exec, A.matrix(), B.matrix());
  CHECK(mentions(error_of([&] { other.numeric(exec, B.matrix(), B.matrix()); }), "A is 40 x 30"));
  CHECK(mentions(
      error_of([&] { GalerkinPlan(exec, A.matrix(), B.matrix(), {.op_b = Op::transpose}); }),
      "a triple product has no op_a or op_b"));
  const std::string large = heddle::detail::described_product(100, 200, 3000000000);
  CHECK(
      mentions(error_of([&] { heddle::detail::check_offsets<std::int32_t>(large, 3000000000); }),
               "a product of 100 x 200 with 3000000000 entries needs offsets of more than 32 bits; "
               "make the plan with OffC = std::int64_t"));
  heddle::detail::check_offsets<std::int64_t>(large, 3000000000);
  using Wide = MultiplyPlan<DefaultDevice, typename DeviceMatrix<T>::Matrix,
                            typename DeviceMatrix<T>::Matrix, std::int64_t>;
  Wide wide(exec, A.matrix(), B.matrix());
  wide.numeric(exec, A.matrix(), B.matrix());
  other.numeric(exec, A.matrix(), B.matrix());
  exec.fence("heddle::test::multiplied");
  CHECK((written_down(wide.matrix()) == written_down(other.matrix())));
}

}  // namespace heddle::test
