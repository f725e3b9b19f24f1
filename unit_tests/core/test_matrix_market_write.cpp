// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/mman.h>

#include <cmath>
#include <limits>

#include "../support/files.hpp"

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

TEST_CASE("zeros that a skew-symmetric matrix stores on its diagonal are left out") {
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 0\n1 2 -3\n2 1 3\n2 2 -0\n");
  const std::string text = written(matrix, {.symmetry = MatrixMarketSymmetry::skew_symmetric});
  CHECK(text.ends_with("2 2 1\n2 1 3\n"));
  CHECK(parse_matrix_market(text).nonzeros() == 2);
}

TEST_CASE("in a symmetry zeros of either sign are equal, and so are all NaNs") {
  using enum MatrixMarketSymmetry;
  const auto matrix = parse_matrix_market(
      "%%MatrixMarket matrix coordinate real general\n3 3 4\n2 1 -0\n1 2 0\n3 1 nan\n1 3 -nan\n");
  for (const auto symmetry : {symmetric, skew_symmetric}) {
    const std::string text = written(matrix, {.symmetry = symmetry});
    CHECK(text.ends_with("3 3 2\n2 1 -0\n3 1 nan\n"));
    CHECK(parse_matrix_market(text).nonzeros() == 4);
  }
  using Complex = Kokkos::complex<double>;
  const std::string head = "%%MatrixMarket matrix coordinate complex general\n2 2 2\n";
  const auto pair = parse_matrix_market<Complex>(head + "2 1 0 nan\n1 2 -0 nan\n");
  CHECK(parse_matrix_market<Complex>(written(pair, {.symmetry = hermitian})).nonzeros() == 2);
  // Values that a reader would refuse are not written.
  const auto diagonal = parse_matrix_market<Complex>(head + "1 1 1 0\n2 2 1 nan\n");
  const auto error = error_of([&] { written(diagonal, {.symmetry = hermitian}); });
  CHECK(error.where().row == 1);
}

TEST_CASE_TEMPLATE("every scalar comes back bit for bit", S, float, double, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
  const auto matrix = random_matrix<S, int, std::int64_t>(2000, 1500, 9);
  using Real = heddle::RealOf<S>;
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
      if (suffix != ".mtx" && threads > 1) continue;
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

TEST_CASE("one row longer than any piece of the file") {
  const auto matrix = random_matrix(1, 420'000, 210'000);
  CHECK(matrix.nonzeros() > (1 << 18));
  for (const std::string suffix : {".mtx", ".mtx.gz"}) {
    if (suffix == ".mtx.gz" && !HEDDLE_HAVE_ZLIB) continue;
    const TemporaryFile file(suffix);
    write_matrix_market(file.path(), matrix.matrix());
    CHECK(same(matrix, read_matrix_market(file.path())));
  }
}

TEST_CASE("as many rows as the ordinal counts") {
  constexpr int rows = std::numeric_limits<int>::max();
  // Pages that are never written share one page of zeros.
  constexpr std::size_t bytes = (std::size_t{rows} + 1) * sizeof(int);
  void* const zeros =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  heddle::files::prefer_huge_pages(zeros, bytes);
  const TemporaryFile file(".mtx");
  write_matrix_market(file.path(),
                      heddle::CsrMatrix<double, int, int, Kokkos::HostSpace>(
                          rows, 3, 0, static_cast<const int*>(zeros), nullptr, nullptr));
  munmap(zeros, bytes);
  CHECK(file.content().ends_with("\n2147483647 3 0\n"));
}

TEST_CASE_TEMPLATE("a matrix that is none is refused before anything is written", Off, int,
                   std::size_t) {
  using Matrix = heddle::CsrMatrix<double, int, Off, Kokkos::HostSpace>;
  const TemporaryFile file(".mtx"), petsc(".petsc");
  const double values[] = {1, 2, 3};
  auto refused = [&](std::vector<Off> row_ptr, std::vector<int> columns, std::int64_t row,
                     const std::string& why) {
    const Matrix matrix(static_cast<int>(row_ptr.size()) - 1, 3, 3, row_ptr.data(), columns.data(),
                        values);
    const heddle::Error errors[] = {
        error_of([&] { write_matrix_market(file.path(), matrix); }), error_of([&] {
          write_matrix_market(file.path(), matrix, {.symmetry = MatrixMarketSymmetry::symmetric});
        }),
        error_of([&] { heddle::write_petsc(petsc.path(), matrix); })};
    for (const heddle::Error& error : errors) {
      CAPTURE(std::string(error.what()));
      CHECK(error.problem().find(why) != std::string::npos);
      CHECK(error.where().row == row);
      CHECK(!error.remedy().empty());
    }
    CHECK(!std::filesystem::exists(file.path()));
    CHECK(!std::filesystem::exists(petsc.path()));
  };
  refused({1, 1, 2, 3}, {0, 1, 2}, 0, "row_ptr(0) is 1, not 0");
  refused({0, 2, 1, 3}, {0, 1, 2}, 1, "row_ptr(2) is 1, less than 2 before it");
  refused({0, 900'000'000, 2, 3}, {0, 1, 2}, 1, "row_ptr(2) is 2, less than 900000000");
  refused({0, 1, 2, 2}, {0, 1, 2}, 2, "row_ptr(3) is 2, and there are 3 entries");
  refused({0, 1, 2, 900'000'000}, {0, 1, 2}, 2, "row_ptr(3) is 900000000, and there are 3");
  refused({0, 1, 2, 3}, {0, 3, 2}, 1, "column 3 is outside the 3 columns");
  refused({0, 1, 1, 3}, {0, 1, -1}, 2, "column -1 is outside the 3 columns");
  refused({0, 1, 2, 3}, {0, 1, 900'000'000}, 2, "column 900000000");
  const int columns[] = {0, 1, 2};
  const auto error = error_of(
      [&] { write_matrix_market(file.path(), Matrix(0, 3, 3, nullptr, columns, values)); });
  CHECK(error.problem() == "row_ptr is empty and there are 3 entries");
}

TEST_CASE("files that cannot be written") {
  const auto matrix = random_matrix(10, 10, 3);
  const TemporaryFile locked(".mtx", "old");
  std::filesystem::permissions(locked.path(), std::filesystem::perms::owner_read);
  CHECK_THROWS_AS(write_matrix_market(locked.path(), matrix.matrix()), heddle::Error);
  CHECK_THROWS_AS(heddle::write_petsc(locked.path(), matrix.matrix()), heddle::Error);
  CHECK(locked.content() == "old");
  for (const std::string path : {"/nonexistent/a.mtx", "/nonexistent/a.mtx.gz", "/"}) {
    const auto error = error_of([&] { write_matrix_market(path, matrix.matrix()); });
    CHECK(error.where().file == path);
    CHECK(error.problem().find("the file cannot be written: ") == 0);
  }
  if (std::filesystem::exists("/dev/full")) {
    CHECK_THROWS_AS(write_matrix_market("/dev/full", matrix.matrix()), heddle::Error);
    CHECK(std::filesystem::exists("/dev/full"));
  }
}
