// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files_support.hpp"

#include <limits>

using files_test::error_of;
using files_test::random_matrix;
using files_test::same;
using files_test::TemporaryFile;
using heddle::MatrixMarketSymmetry;
using heddle::parse_matrix_market;
using heddle::read_matrix_market;
using heddle::write_matrix_market;

namespace {

template <class Storage>
std::string written(const Storage& matrix, const heddle::MatrixMarketWriteOptions& options = {}) {
  const TemporaryFile file(".mtx");
  write_matrix_market(file.path(), matrix.matrix(), options);
  return file.content();
}

}  // namespace

TEST_CASE("what is written") {
  const std::string body = "2 3 3\n1 1 0.1\n1 3 -2\n2 2 1e+300\n";
  const std::string text = "%%MatrixMarket matrix coordinate real general\n" + body;
  const auto matrix = parse_matrix_market(text);
  CHECK(written(matrix) == text);
  CHECK(written(matrix, {.comment = " two\nlines"}) ==
        "%%MatrixMarket matrix coordinate real general\n% two\n%lines\n" + body);
  CHECK(written(matrix, {.pattern = true}) ==
        "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n1 3\n2 2\n");
}

TEST_CASE("a symmetric matrix comes back as the text it was") {
  const std::string bodies[] = {
      "real symmetric\n3 3 3\n1 1 5\n2 1 4\n3 2 -6\n",
      "real skew-symmetric\n3 3 2\n2 1 4\n3 2 -6\n",
      "pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
      "complex symmetric\n2 2 2\n1 1 5 1\n2 1 4 2\n",
      "complex skew-symmetric\n2 2 1\n2 1 4 2\n",
      "complex hermitian\n2 2 2\n1 1 5 0\n2 1 4 2\n",
      "real skew-symmetric\n2 2 1\n2 1 0\n",
  };
  for (const std::string& body : bodies) {
    const std::string text = "%%MatrixMarket matrix coordinate " + body;
    CAPTURE(text);
    const auto header = heddle::parse_matrix_market_header(text);
    const heddle::MatrixMarketWriteOptions options{
        .symmetry = header.symmetry, .pattern = header.field == heddle::MatrixMarketField::pattern};
    if (header.field == heddle::MatrixMarketField::complex) {
      CHECK(written(parse_matrix_market<Kokkos::complex<double>>(text), options) == text);
    } else {
      CHECK(written(parse_matrix_market(text), options) == text);
    }
  }
}

TEST_CASE("a symmetry is verified before it is written") {
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  const TemporaryFile file(".mtx");
  auto refused = [&](const std::string& body, MatrixMarketSymmetry symmetry, std::int64_t row) {
    const auto matrix =
        parse_matrix_market(real + body, "t", {.duplicates = heddle::Duplicates::add});
    const auto error = error_of(
        [&] { write_matrix_market(file.path(), matrix.matrix(), {.symmetry = symmetry}); });
    CHECK(error.where().row == row);
    CHECK(!std::filesystem::exists(file.path()));
  };
  using enum MatrixMarketSymmetry;
  refused("2 2 2\n1 1 1\n2 1 1\n", symmetric, 1);
  refused("2 2 2\n1 2 1\n2 1 1.0000000000000002\n", symmetric, 0);
  refused("2 2 2\n1 2 1\n2 1 1\n", skew_symmetric, 0);
  refused("2 2 3\n1 2 1\n2 1 -1\n2 2 1\n", skew_symmetric, 1);
  refused("2 3 0\n", symmetric, -1);
  refused("1 1 1\n1 1 1\n", hermitian, -1);
}

TEST_CASE_TEMPLATE("every scalar comes back bit for bit", S, float, double, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
  const auto matrix = random_matrix<S, int, std::int64_t>(5000, 4000, 9);
  using Real = heddle::files::real_of<S>;
  using Limits = std::numeric_limits<Real>;
  const Real special[] = {Limits::max(),        Limits::lowest(),    Limits::min(),
                          Limits::denorm_min(), Limits::infinity(),  -Limits::infinity(),
                          Real(-0.0),           Limits::quiet_NaN(), Limits::epsilon()};
  std::size_t k = 0;
  for (const Real value : special) matrix.values()(k++) = S(value);
  for (const std::string suffix : {".mtx", ".mtx.gz", ".mtx.xz"}) {
    if (suffix == ".mtx.gz" && !HEDDLE_HAVE_ZLIB) continue;
    if (suffix == ".mtx.xz" && !HEDDLE_HAVE_LZMA) continue;
    for (const int threads : {1, 3}) {
      const TemporaryFile file(suffix);
      write_matrix_market(file.path(), matrix.matrix(), {.threads = threads});
      const auto back = read_matrix_market<S, int, std::int64_t>(file.path(), {.threads = threads});
      CHECK(same(matrix, back));
      const auto dispatched = heddle::read_matrix<S, int, std::int64_t>(file.path());
      CHECK(same(matrix, dispatched));
    }
  }
}

TEST_CASE("ordinals of 64 bits, matrices without rows, and columns in disorder") {
  const auto wide = parse_matrix_market<double, std::int64_t, std::int64_t>(
      "%%MatrixMarket matrix coordinate real general\n2 9000000000000000000 1\n"
      "2 8999999999999999999 0.5\n");
  CHECK(same(wide, parse_matrix_market<double, std::int64_t, std::int64_t>(written(wide))));

  const TemporaryFile file(".mtx");
  write_matrix_market(file.path(), heddle::CsrMatrix<double, int, int, Kokkos::HostSpace>(
                                       0, 3, 0, nullptr, nullptr, nullptr));
  CHECK(read_matrix_market(file.path()).columns() == 3);

  const int row_ptr[] = {0, 3}, col_idx[] = {2, 0, 2};
  const double values[] = {1, 2, 3};
  const heddle::CsrMatrix<double, int, int, Kokkos::HostSpace> disorder(1, 3, 3, row_ptr, col_idx,
                                                                        values);
  write_matrix_market(file.path(), disorder);
  CHECK(file.content().ends_with("1 3 1\n1 1 2\n1 3 3\n"));
  CHECK_THROWS_AS(read_matrix_market(file.path()), heddle::Error);
}

TEST_CASE("files that cannot be written") {
  const auto matrix = random_matrix(10, 10, 3);
  for (const std::string path : {"/nonexistent/a.mtx", "/nonexistent/a.mtx.gz", "/"}) {
    const auto error = error_of([&] { write_matrix_market(path, matrix.matrix()); });
    CHECK(error.where().file == path);
  }
  if (std::filesystem::exists("/dev/full")) {
    CHECK_THROWS_AS(write_matrix_market("/dev/full", matrix.matrix()), heddle::Error);
    CHECK(std::filesystem::exists("/dev/full"));
  }
}
