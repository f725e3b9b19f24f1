// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <thread>

#include "../support/files.hpp"

using files_test::dense;
using files_test::error_of;
using files_test::random_matrix;
using files_test::same;
using heddle::parse_matrix_market;
using Complex = Kokkos::complex<double>;

namespace {

template <class S>
using Dense = std::vector<std::vector<S>>;

std::string file(const std::string& kind, const std::string& body) {
  return "%%MatrixMarket matrix " + kind + "\n" + body;
}

/// Reads as real and, if the numbers allow it, as complex.
void check_real(const std::string& kind, const std::string& body, const Dense<double>& expected) {
  CAPTURE(kind);
  const auto matrix = parse_matrix_market(file(kind, body));
  CHECK(dense(matrix) == expected);
  const auto complex = parse_matrix_market<Complex>(file(kind, body));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      CHECK(dense(complex)[i][j] == Complex(expected[i][j]));
    }
  }
}

void check_complex(const std::string& kind, const std::string& body,
                   const Dense<Complex>& expected) {
  CAPTURE(kind);
  CHECK(dense(parse_matrix_market<Complex>(file(kind, body))) == expected);
  CHECK(error_of([&] { parse_matrix_market(file(kind, body)); }).where().line == 1);
}

}  // namespace

TEST_CASE("coordinate format, every field and symmetry") {
  check_real("coordinate real general", "2 3 3\n2 1 -4.5e1\n1 1 .25\n1 3 7\n",
             {{0.25, 0, 7}, {-45, 0, 0}});
  check_real("coordinate integer general", "2 2 2\n2 1 -4\n1 2 +12\n", {{0, 12}, {-4, 0}});
  check_real("coordinate pattern general", "2 3 3\n2 1\n1 1\n1 3\n", {{1, 0, 1}, {1, 0, 0}});

  check_real("coordinate real symmetric", "3 3 3\n2 1 4\n3 3 5\n3 2 6\n",
             {{0, 4, 0}, {4, 0, 6}, {0, 6, 5}});
  check_real("coordinate integer symmetric", "2 2 2\n2 1 4\n2 2 5\n", {{0, 4}, {4, 5}});
  check_real("coordinate pattern symmetric", "2 2 2\n2 1\n1 1\n", {{1, 1}, {1, 0}});
  check_real("coordinate real skew-symmetric", "3 3 2\n2 1 4\n3 2 -6\n",
             {{0, -4, 0}, {4, 0, 6}, {0, -6, 0}});
  check_real("coordinate integer skew-symmetric", "2 2 1\n2 1 4\n", {{0, -4}, {4, 0}});

  check_complex("coordinate complex general", "1 2 2\n1 2 1 -2\n1 1 0.5 3e1\n",
                {{{0.5, 30}, {1, -2}}});
  check_complex("coordinate complex symmetric", "2 2 2\n2 1 1 -2\n1 1 3 4\n",
                {{{3, 4}, {1, -2}}, {{1, -2}, {0, 0}}});
  check_complex("coordinate complex skew-symmetric", "2 2 1\n2 1 1 -2\n",
                {{{0, 0}, {-1, 2}}, {{1, -2}, {0, 0}}});
  check_complex("coordinate complex hermitian", "2 2 2\n2 1 1 -2\n2 2 3 0\n",
                {{{0, 0}, {1, 2}}, {{1, -2}, {3, 0}}});
}

TEST_CASE("array format, every field and symmetry, column by column") {
  check_real("array real general", "2 3\n1\n2\n3\n4\n5.5\n6\n", {{1, 3, 5.5}, {2, 4, 6}});
  check_real("array integer general", "2 2\n1\n-2\n3\n4\n", {{1, 3}, {-2, 4}});
  check_real("array real symmetric", "3 3\n1\n2\n3\n4\n5\n6\n", {{1, 2, 3}, {2, 4, 5}, {3, 5, 6}});
  check_real("array integer symmetric", "2 2\n1\n2\n3\n", {{1, 2}, {2, 3}});
  check_real("array real skew-symmetric", "3 3\n2\n3\n5\n", {{0, -2, -3}, {2, 0, -5}, {3, 5, 0}});
  check_real("array integer skew-symmetric", "2 2\n7\n", {{0, -7}, {7, 0}});

  check_complex("array complex general", "1 2\n1 2\n3 4\n", {{{1, 2}, {3, 4}}});
  check_complex("array complex symmetric", "2 2\n1 2\n3 4\n5 6\n",
                {{{1, 2}, {3, 4}}, {{3, 4}, {5, 6}}});
  check_complex("array complex skew-symmetric", "2 2\n3 4\n",
                {{{0, 0}, {-3, -4}}, {{3, 4}, {0, 0}}});
  check_complex("array complex hermitian", "2 2\n1 0\n3 4\n5 0\n",
                {{{1, 0}, {3, -4}}, {{3, 4}, {5, 0}}});
}

TEST_CASE("the zeros of an array are entries, unless they are dropped") {
  const std::string text = file("array real general", "2 2\n0\n1\n-0.0\n2\n");
  CHECK(parse_matrix_market(text).nonzeros() == 4);
  const auto dropped = parse_matrix_market(text, "t", {.drop_array_zeros = true});
  CHECK(dropped.nonzeros() == 2);
  CHECK(dense(dropped) == Dense<double>{{0, 0}, {1, 2}});
  const std::string symmetric = file("array real symmetric", "2 2\n1\n0\n3\n");
  CHECK(parse_matrix_market(symmetric, "t", {.drop_array_zeros = true}).nonzeros() == 2);
}

TEST_CASE("case, blank lines, comments, line ends and blanks do not matter") {
  const Dense<double> expected{{1, 0}, {0, 2}};
  CHECK(dense(parse_matrix_market(
            "%%mAtRiXmArKeT MATRIX Coordinate REAL General\r\n%a\r\n\r\n  %b\n\n \t 2\t2  2 \r\n"
            "\n  1 1 1\r\n%c\n\t2\t2  2.0 \n\n")) == expected);
  CHECK(dense(parse_matrix_market(file("coordinate real general", "2 2 2\n1 1 1\n2 2 2"))) ==
        expected);
  CHECK(dense(parse_matrix_market(file(" coordinate  real\tgeneral ", "2 2 2\n1 1 1\n2 2 2"))) ==
        expected);
}

TEST_CASE("columns ascend and row_ptr fits, whatever the order in the file") {
  const auto matrix = parse_matrix_market(
      file("coordinate real general", "3 4 5\n3 4 1\n1 3 2\n3 1 3\n1 1 4\n3 2 5\n"));
  const std::vector<int> row_ptr(matrix.row_ptr().data(), matrix.row_ptr().data() + 4);
  const std::vector<int> col_idx(matrix.col_idx().data(), matrix.col_idx().data() + 5);
  CHECK(row_ptr == std::vector{0, 2, 2, 5});
  CHECK(col_idx == std::vector{0, 2, 0, 1, 3});
}

TEST_CASE("matrices without rows, columns or entries") {
  CHECK(parse_matrix_market(file("coordinate real general", "0 0 0\n")).nonzeros() == 0);
  CHECK(parse_matrix_market(file("coordinate real general", "0 5 0")).columns() == 5);
  CHECK(parse_matrix_market(file("array real general", "0 5\n")).columns() == 5);
  CHECK(parse_matrix_market(file("array real general", "5 0\n")).rows() == 5);
  CHECK(parse_matrix_market(file("array real skew-symmetric", "1 1\n")).nonzeros() == 0);
  CHECK(parse_matrix_market(file("array real symmetric", "0 0\n")).rows() == 0);
  const auto empty = parse_matrix_market(file("coordinate pattern symmetric", "3 3 0\n%\n\n"));
  CHECK(dense(empty) == Dense<double>(3, std::vector<double>(3, 0)));
}

TEST_CASE("numbers are read exactly") {
  auto value = [](const std::string& number) {
    return parse_matrix_market(file("coordinate real general", "1 1 1\n1 1 " + number)).values()(0);
  };
  CHECK(value("0.1") == 0.1);
  CHECK(value("1e23") == 1e23);
  CHECK(value("9007199254740993.0000001") == 9007199254740994.0);
  CHECK(value("4.9406564584124654e-324") == 4.9406564584124654e-324);
  CHECK(value("1.7976931348623157e308") == 1.7976931348623157e308);
  CHECK(value("+3.5") == 3.5);
  CHECK(value("-.5E+2") == -50);
  CHECK(value("5.") == 5);
  CHECK(value("1.5D+03") == 1500);
  CHECK(value("-2d-1") == -0.2);
  CHECK(value("1.5+03") == 1500);
  CHECK(value("-1.-2") == -0.01);
  CHECK(value("3.14-114") == 3.14e-114);
  CHECK(value("-1.0-400") == 0);
  CHECK(std::isinf(value("inf")));
  CHECK(value("-Infinity") < 0);
  CHECK(std::isnan(value("nan")));
  CHECK(std::signbit(value("-0")));

  const double below = value("-1e-400");
  CHECK(below == 0);
  CHECK(std::signbit(below));
  CHECK(value("0." + std::string(400, '0') + "1") == 0);
  CHECK(value("1e-99999999999999999999") == 0);
  CHECK(value("0." + std::string(400, '0') + "1e401") == 1);

  const auto single = parse_matrix_market<float>(
      file("coordinate real general", "1 3 3\n1 1 0.1\n1 2 16777217.0000001\n1 3 1e-60"));
  CHECK(single.values()(0) == 0.1f);
  CHECK(single.values()(1) == 16777218.0f);
  CHECK(single.values()(2) == 0);
}

TEST_CASE("whole numbers of any length") {
  const auto matrix = parse_matrix_market(file("coordinate integer general",
                                               "1 4 4\n1 1 9007199254740993\n1 2 -007\n1 3 0\n"
                                               "1 4 123456789012345678901234567890\n"));
  CHECK(matrix.values()(0) == 9007199254740992.0);
  CHECK(matrix.values()(1) == -7);
  CHECK(matrix.values()(2) == 0);
  CHECK(matrix.values()(3) == 123456789012345678901234567890.0);
  const std::string text =
      file("coordinate unsigned-integer symmetric", "2 2 2\n1 1 18446744073709551615\n2 1 +3\n");
  CHECK(heddle::parse_matrix_market_header(text).field ==
        heddle::MatrixMarketField::unsigned_integer);
  CHECK(dense(parse_matrix_market(text)) == Dense<double>{{18446744073709551615.0, 3}, {3, 0}});
}

TEST_CASE("entries that repeat add up in one order on both sides of the diagonal") {
  for (const std::string symmetry : {"symmetric", "skew-symmetric", "hermitian"}) {
    CAPTURE(symmetry);
    const bool hermitian = symmetry == "hermitian";
    std::string body = "2 2 3\n";
    for (const std::string value : {"1", "-1e16", "1"}) {
      body += hermitian ? "2 1 5 " + value + "\n" : "2 1 " + value + " 0\n";
    }
    const auto matrix = parse_matrix_market<Complex>(file("coordinate complex " + symmetry, body),
                                                     "t", {.duplicates = heddle::Duplicates::add});
    const Complex above = matrix.values()(0), below = matrix.values()(1);
    if (hermitian) {
      CHECK(above == Complex(below.real(), -below.imag()));
    } else {
      CHECK(above == (symmetry == "symmetric" ? below : -below));
    }
  }
  // Long rows, which another sort handles.
  std::string body = "60 60 62\n";
  for (int row = 2; row <= 60; ++row) body += std::to_string(row) + " 1 2\n";
  body += "60 1 1\n60 1 1\n60 1 -1e16\n";
  const auto matrix = parse_matrix_market(file("coordinate real skew-symmetric", body), "t",
                                          {.duplicates = heddle::Duplicates::add});
  const auto rows = dense(matrix);
  CHECK(rows[0][59] == -rows[59][0]);
}

TEST_CASE("repeated entries are added up on request, in an order of their own") {
  const std::string body = "2 2 5\n1 1 1e16\n2 2 3\n1 1 1\n1 1 -1e16\n1 2 4\n";
  const auto matrix = parse_matrix_market(file("coordinate real general", body), "t",
                                          {.duplicates = heddle::Duplicates::add});
  CHECK(matrix.nonzeros() == 3);
  CHECK(matrix.values()(1) == 4);
  CHECK(matrix.values()(2) == 3);
  const std::string other = "2 2 5\n1 1 -1e16\n1 1 1\n1 2 4\n2 2 3\n1 1 1e16\n";
  CHECK(same(matrix, parse_matrix_market(file("coordinate real general", other), "t",
                                         {.duplicates = heddle::Duplicates::add})));
  const auto mirrored =
      parse_matrix_market(file("coordinate real symmetric", "2 2 3\n2 1 1\n2 1 2\n1 1 1\n"), "t",
                          {.duplicates = heddle::Duplicates::add});
  CHECK(dense(mirrored) == Dense<double>{{1, 3}, {3, 0}});

  std::string long_row = "1 40 80\n";
  for (int c = 80; c > 0; --c) long_row += "1 " + std::to_string((c + 1) / 2) + " 1\n";
  const auto added = parse_matrix_market(file("coordinate real general", long_row), "t",
                                         {.duplicates = heddle::Duplicates::add});
  CHECK(dense(added) == Dense<double>{std::vector<double>(40, 2)});
}

TEST_CASE_TEMPLATE("every scalar", S, float, double, Kokkos::complex<float>, Complex) {
  using Storage = decltype(parse_matrix_market<S>(""));
  auto check = [](const Storage& matrix) {
    CHECK(dense(matrix) == Dense<S>{{S(0), S(-2)}, {S(0.5), S(0)}});
  };
  const std::string real = file("coordinate real general", "2 2 2\n2 1 0.5\n1 2 -2\n");
  check(parse_matrix_market<S>(real));
}

TEST_CASE_TEMPLATE("every offset with ordinals of 32 bits", Off, std::int32_t, std::int64_t,
                   std::size_t, std::uint32_t) {
  const auto matrix = parse_matrix_market<double, std::int32_t, Off>(
      file("coordinate real symmetric", "2 2 2\n2 1 0.5\n2 2 -2\n"));
  CHECK(dense(matrix) == Dense<double>{{0, 0.5}, {0.5, -2}});
}

TEST_CASE_TEMPLATE("every offset with ordinals of 64 bits", Off, std::int64_t, std::size_t) {
  const auto matrix = parse_matrix_market<double, std::int64_t, Off>(
      file("coordinate real general", "2 5000000000 1\n2 4000000000 0.5\n"));
  CHECK(matrix.columns() == 5000000000);
  CHECK(matrix.col_idx()(0) == 3999999999);
}

TEST_CASE("the header alone") {
  const std::string text =
      file("array complex hermitian", "% one\r\n\n%two\n%\n4 4\n not a number");
  const heddle::MatrixMarketHeader header = heddle::parse_matrix_market_header(text);
  CHECK(header.format == heddle::MatrixMarketFormat::array);
  CHECK(header.field == heddle::MatrixMarketField::complex);
  CHECK(header.symmetry == heddle::MatrixMarketSymmetry::hermitian);
  CHECK(header.rows == 4);
  CHECK(header.columns == 4);
  CHECK(header.entries == 10);
  CHECK(header.comment == " one\ntwo\n");
}

TEST_CASE("the header of a file, even behind long comments and compressed") {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  for (int i = 0; i < 20000; ++i) text += "% this comment is long\n";
  text += "30 20 10\n";
  for (const std::string suffix : {".mtx", ".mtx.gz", ".mtx.xz"}) {
    if (suffix == ".mtx.gz" && !HEDDLE_HAVE_ZLIB) continue;
    if (suffix == ".mtx.xz" && !HEDDLE_HAVE_LZMA) continue;
    const files_test::TemporaryFile file(suffix);
    heddle::files::write_pieces(file.path(), 1, 1, [&](std::size_t) { return text; });
    const auto header = heddle::read_matrix_market_header(file.path());
    CHECK(header.rows == 30);
    CHECK(header.columns == 20);
    CHECK(header.entries == 10);
  }
  const files_test::TemporaryFile wrong(".mtx", "% no banner\n");
  CHECK(error_of([&] { heddle::read_matrix_market_header(wrong.path()); }).where().line == 1);
}

TEST_CASE("a header that does not end where one is looked for is an Error") {
  constexpr std::size_t longest = std::size_t{1} << 18;
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n", sizes = "3 2 0\n";
  const auto comments = [](std::size_t bytes) {
    std::string lines;
    while (lines.size() < bytes) lines += "% comment\n";
    return lines;
  };
  const files_test::TemporaryFile shorter(".mtx", banner + comments(longest / 2) + sizes);
  CHECK(heddle::files::read_header(shorter.path(), longest).rows == 3);
  const files_test::TemporaryFile longer(".mtx", banner + comments(longest) + sizes);
  const auto error = error_of([&] { heddle::files::read_header(longer.path(), longest); });
  CHECK(error.problem() == "the first 262144 bytes of the file have no sizes");
  CHECK(error.where().file == longer.path());
  CHECK(error.remedy() == "shorten its comments");
  CHECK(heddle::read_matrix_market_header(longer.path()).rows == 3);
}

TEST_CASE("a long header comes through a pipe") {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  for (int i = 0; i < 10000; ++i) text += "% this comment is long\n";
  const files_test::TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::jthread writer([&] { heddle::files::write_whole_file(path, text + "30 20 10\n"); });
  const auto header = heddle::read_matrix_market_header(path);
  CHECK(header.rows == 30);
  CHECK(header.entries == 10);
}

TEST_CASE("any number of threads gives the same bits") {
  const auto matrix = random_matrix<Complex>(20000, 15000, 12);
  const files_test::TemporaryFile file(".mtx");
  heddle::write_matrix_market(file.path(), matrix.matrix(), {.threads = 3});
  for (const int threads : {1, 2, 7}) {
    CHECK(same(matrix, heddle::read_matrix_market<Complex>(file.path(), {.threads = threads})));
  }
  const std::string text = file.content();
  CHECK(text.size() > 8'000'000);

  // The entries out of order, and each of them twice.
  std::vector<std::string> lines;
  std::size_t at = text.find('\n', text.find('\n') + 1) + 1;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.insert(lines.end(), 2, text.substr(at, end - at));
    at = end;
  }
  std::shuffle(lines.begin(), lines.end(), std::mt19937(1));
  std::string shuffled = "%%MatrixMarket matrix coordinate complex general\n20000 15000 " +
                         std::to_string(lines.size()) + "\n";
  for (const std::string& line : lines) shuffled += line;
  const heddle::ReadOptions add{.threads = 1, .duplicates = heddle::Duplicates::add};
  const auto alone = parse_matrix_market<Complex>(shuffled, "t", add);
  CHECK(alone.nonzeros() == matrix.nonzeros());
  CHECK(alone.values()(0) == 2.0 * matrix.values()(0));
  for (const int threads : {2, 5}) {
    const auto together = parse_matrix_market<Complex>(
        shuffled, "t", {.threads = threads, .duplicates = heddle::Duplicates::add});
    CHECK(same(alone, together));
  }
  const auto error = error_of([&] { parse_matrix_market<Complex>(shuffled, "t", {.threads = 1}); });
  const auto other = error_of([&] { parse_matrix_market<Complex>(shuffled, "t", {.threads = 4}); });
  CHECK(std::string(error.what()) == other.what());
}
