// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix Market's texts that are read, and those that are refused.
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

const std::string market = "%%MatrixMarket matrix ";
const std::string real = market + "coordinate real general\n";
const std::string whole = market + "coordinate integer general\n";
const std::string natural = market + "coordinate unsigned-integer general\n";
const std::string mirrored = market + "coordinate real symmetric\n";
const std::string skew = market + "coordinate real skew-symmetric\n";
const std::string hermitian = market + "coordinate complex hermitian\n";
const std::string array = market + "array real general\n";
const heddle::ReadOptions added{.duplicates = heddle::Duplicates::add};

/// A text that is refused: the line and a part of the problem, and of the remedy where one is
/// named.
struct Refused {
  std::string text;
  std::int64_t line;
  std::string why;
  std::string remedy = "";
};

template <class S = double, class O = int, class Off = int>
void check(const Refused& row, const heddle::ReadOptions& options = {}) {
  CAPTURE(row.text.substr(0, 200));
  const heddle::Error error =
      error_of([&] { parse_matrix_market<S, O, Off>(row.text, "bad.mtx", options); });
  const std::string what = error.what();
  CAPTURE(what);
  CHECK(error.where().line == row.line);
  CHECK(error.where().file == "bad.mtx");
  CHECK(error.problem().find(row.why) != std::string::npos);
  CHECK(!error.remedy().empty());
  CHECK(error.remedy().find(row.remedy) != std::string::npos);
}

}  // namespace

TEST_CASE("every format, field and symmetry is read, real numbers as complex ones too") {
  const struct {
    std::string kind, body;
    Dense<Complex> rows;
  } texts[] = {
      {"coordinate real general",
       "2 3 3\n2 1 -4.5e1\n1 1 .25\n1 3 7\n",
       {{0.25, 0, 7}, {-45, 0, 0}}},
      {"coordinate integer general", "2 2 2\n2 1 -4\n1 2 +12\n", {{0, 12}, {-4, 0}}},
      {"coordinate pattern general", "2 3 3\n2 1\n1 1\n1 3\n", {{1, 0, 1}, {1, 0, 0}}},
      {"coordinate unsigned-integer symmetric",
       "2 2 2\n1 1 18446744073709551615\n2 1 +3\n",
       {{18446744073709551615.0, 3}, {3, 0}}},
      {"coordinate real symmetric",
       "3 3 3\n2 1 4\n3 3 5\n3 2 6\n",
       {{0, 4, 0}, {4, 0, 6}, {0, 6, 5}}},
      {"coordinate integer symmetric", "2 2 2\n2 1 4\n2 2 5\n", {{0, 4}, {4, 5}}},
      {"coordinate pattern symmetric", "2 2 2\n2 1\n1 1\n", {{1, 1}, {1, 0}}},
      {"coordinate real skew-symmetric",
       "3 3 2\n2 1 4\n3 2 -6\n",
       {{0, -4, 0}, {4, 0, 6}, {0, -6, 0}}},
      {"coordinate integer skew-symmetric", "2 2 1\n2 1 4\n", {{0, -4}, {4, 0}}},
      {"coordinate complex general", "1 2 2\n1 2 1 -2\n1 1 0.5 3e1\n", {{{0.5, 30}, {1, -2}}}},
      {"coordinate complex symmetric",
       "2 2 2\n2 1 1 -2\n1 1 3 4\n",
       {{{3, 4}, {1, -2}}, {{1, -2}, {0, 0}}}},
      {"coordinate complex skew-symmetric",
       "2 2 1\n2 1 1 -2\n",
       {{{0, 0}, {-1, 2}}, {{1, -2}, {0, 0}}}},
      {"coordinate complex hermitian",
       "2 2 2\n2 1 1 -2\n2 2 3 0\n",
       {{{0, 0}, {1, 2}}, {{1, -2}, {3, 0}}}},
      {"array real general", "2 3\n1\n2\n3\n4\n5.5\n6\n", {{1, 3, 5.5}, {2, 4, 6}}},
      {"array integer general", "2 2\n1\n-2\n3\n4\n", {{1, 3}, {-2, 4}}},
      {"array real symmetric", "3 3\n1\n2\n3\n4\n5\n6\n", {{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}},
      {"array integer symmetric", "2 2\n1\n2\n3\n", {{1, 2}, {2, 3}}},
      {"array real skew-symmetric", "3 3\n2\n3\n5\n", {{0, -2, -3}, {2, 0, -5}, {3, 5, 0}}},
      {"array integer skew-symmetric", "2 2\n7\n", {{0, -7}, {7, 0}}},
      {"array complex general", "1 2\n1 2\n3 4\n", {{{1, 2}, {3, 4}}}},
      {"array complex symmetric", "2 2\n1 2\n3 4\n5 6\n", {{{1, 2}, {3, 4}}, {{3, 4}, {5, 6}}}},
      {"array complex skew-symmetric", "2 2\n3 4\n", {{{0, 0}, {-3, -4}}, {{3, 4}, {0, 0}}}},
      {"array complex hermitian", "2 2\n1 0\n3 4\n5 0\n", {{{1, 0}, {3, -4}}, {{3, 4}, {5, 0}}}},
  };
  for (const auto& [kind, body, rows] : texts) {
    CAPTURE(kind);
    const std::string text = market + kind + "\n" + body;
    CHECK(dense(parse_matrix_market<Complex>(text)) == rows);
    if (kind.find("complex") != std::string::npos) {
      check({text, 1, "complex"});
      continue;
    }
    Dense<double> reals;
    for (const auto& row : rows) {
      std::transform(row.begin(), row.end(), std::back_inserter(reals.emplace_back()),
                     [](const Complex& number) { return number.real(); });
    }
    CHECK(dense(parse_matrix_market(text)) == reals);
  }
}

TEST_CASE("the zeros of an array are entries, unless they are dropped") {
  const std::string text = array + "2 2\n0\n1\n-0.0\n2\n";
  CHECK(parse_matrix_market(text).nonzeros() == 4);
  const auto dropped = parse_matrix_market(text, "t", {.drop_array_zeros = true});
  CHECK(dropped.nonzeros() == 2);
  CHECK(dense(dropped) == Dense<double>{{0, 0}, {1, 2}});
  const std::string symmetric = market + "array real symmetric\n2 2\n1\n0\n3\n";
  CHECK(parse_matrix_market(symmetric, "t", {.drop_array_zeros = true}).nonzeros() == 2);
}

TEST_CASE("case, blank lines, comments, line ends and blanks do not matter") {
  for (const std::string& text :
       {std::string(
            "%%mAtRiXmArKeT MATRIX Coordinate REAL General\r\n%a\r\n\r\n  %b\n\n \t 2\t2  2 "
            "\r\n\n  1 1 1\r\n%c\n\t2\t2  2.0 \n\n"),
        real + "2 2 2\n1 1 1\n2 2 2",
        market + " coordinate  real\tgeneral \n2 2 2\n1 1 1\n2 2 2"}) {
    CHECK(dense(parse_matrix_market(text)) == Dense<double>{{1, 0}, {0, 2}});
  }
}

TEST_CASE("columns ascend and row_ptr fits, whatever the order in the file") {
  const auto matrix = parse_matrix_market(real + "3 4 5\n3 4 1\n1 3 2\n3 1 3\n1 1 4\n3 2 5\n");
  const std::vector<int> row_ptr(matrix.row_ptr().data(), matrix.row_ptr().data() + 4);
  const std::vector<int> col_idx(matrix.col_idx().data(), matrix.col_idx().data() + 5);
  CHECK(row_ptr == std::vector{0, 2, 2, 5});
  CHECK(col_idx == std::vector{0, 2, 0, 1, 3});
}

TEST_CASE("matrices without rows, columns or entries") {
  const struct {
    std::string text;
    int rows, columns;
  } empty[] = {{real + "0 0 0\n", 0, 0},
               {real + "0 5 0", 0, 5},
               {array + "0 5\n", 0, 5},
               {array + "5 0\n", 5, 0},
               {market + "array real skew-symmetric\n1 1\n", 1, 1},
               {market + "array real symmetric\n0 0\n", 0, 0},
               {market + "coordinate pattern symmetric\n3 3 0\n%\n\n", 3, 3}};
  for (const auto& [text, rows, columns] : empty) {
    CAPTURE(text);
    const auto matrix = parse_matrix_market(text);
    CHECK(matrix.rows() == rows);
    CHECK(matrix.columns() == columns);
    CHECK(matrix.nonzeros() == 0);
    const auto count = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
    CHECK(dense(matrix) == Dense<double>(count, std::vector<double>(width, 0)));
  }
}

TEST_CASE("numbers are read exactly") {
  const auto read = [](const std::string& head, const std::string& number) {
    return parse_matrix_market(head + "1 1 1\n1 1 " + number).values()(0);
  };
  const std::string zeros(400, '0');
  const std::pair<std::string, double> numbers[] = {
      {"0.1", 0.1},
      {"1e23", 1e23},
      {"9007199254740993.0000001", 9007199254740994.0},
      {"4.9406564584124654e-324", 4.9406564584124654e-324},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"+3.5", 3.5},
      {"-.5E+2", -50},
      {"5.", 5},
      {"1.5D+03", 1500},
      {"-2d-1", -0.2},
      {"1.5+03", 1500},
      {"-1.-2", -0.01},
      {"3.14-114", 3.14e-114},
      {"-1.0-400", -0.0},
      {"inf", INFINITY},
      {"-Infinity", -INFINITY},
      {"-0", -0.0},
      {"-1e-400", -0.0},
      {"0." + zeros + "1", 0},
      {"1e-99999999999999999999", 0},
      {"0." + zeros + "1e401", 1},
  };
  for (const auto& [text, number] : numbers) {
    CAPTURE(text);
    CHECK(std::bit_cast<std::uint64_t>(read(real, text)) == std::bit_cast<std::uint64_t>(number));
  }
  CHECK(std::isnan(read(real, "nan")));
  CHECK(read(whole, "9007199254740993") == 9007199254740992.0);
  CHECK(read(whole, "-007") == -7);
  CHECK(read(whole, "0") == 0);
  CHECK(read(whole, "123456789012345678901234567890") == 123456789012345678901234567890.0);
  const auto single =
      parse_matrix_market<float>(real + "1 3 3\n1 1 0.1\n1 2 16777217.0000001\n1 3 1e-60");
  CHECK(single.values()(0) == 0.1f);
  CHECK(single.values()(1) == 16777218.0f);
  CHECK(single.values()(2) == 0);
}

TEST_CASE("entries that repeat add up in one order on both sides of the diagonal") {
  for (const std::string symmetry : {"symmetric", "skew-symmetric", "hermitian"}) {
    CAPTURE(symmetry);
    std::string body = "2 2 3\n";
    for (const std::string value : {"1", "-1e16", "1"}) {
      body += symmetry == "hermitian" ? "2 1 5 " + value + "\n" : "2 1 " + value + " 0\n";
    }
    const auto matrix = parse_matrix_market<Complex>(
        market + "coordinate complex " + symmetry + "\n" + body, "t", added);
    const Complex above = matrix.values()(0), below = matrix.values()(1);
    CHECK(above == (symmetry == "symmetric"        ? below
                    : symmetry == "skew-symmetric" ? -below
                                                   : Complex(below.real(), -below.imag())));
  }
  // Long rows, which another sort handles.
  std::string body = "60 60 62\n";
  for (int row = 2; row <= 60; ++row) body += std::to_string(row) + " 1 2\n";
  body += "60 1 1\n60 1 1\n60 1 -1e16\n";
  const auto rows = dense(parse_matrix_market(skew + body, "t", added));
  CHECK(rows[0][59] == -rows[59][0]);
}

TEST_CASE("repeated entries are added up on request, in an order of their own") {
  const auto matrix =
      parse_matrix_market(real + "2 2 5\n1 1 1e16\n2 2 3\n1 1 1\n1 1 -1e16\n1 2 4\n", "t", added);
  CHECK(matrix.nonzeros() == 3);
  CHECK(matrix.values()(1) == 4);
  CHECK(matrix.values()(2) == 3);
  const std::string other = "2 2 5\n1 1 -1e16\n1 1 1\n1 2 4\n2 2 3\n1 1 1e16\n";
  CHECK(same(matrix, parse_matrix_market(real + other, "t", added)));
  CHECK(dense(parse_matrix_market(mirrored + "2 2 3\n2 1 1\n2 1 2\n1 1 1\n", "t", added)) ==
        Dense<double>{{1, 3}, {3, 0}});
  std::string long_row = "1 40 80\n";
  for (int c = 80; c > 0; --c) long_row += "1 " + std::to_string((c + 1) / 2) + " 1\n";
  CHECK(dense(parse_matrix_market(real + long_row, "t", added)) ==
        Dense<double>{std::vector<double>(40, 2)});
}

TEST_CASE_TEMPLATE("every offset with ordinals of 32 bits", Off, std::int32_t, std::int64_t,
                   std::size_t, std::uint32_t) {
  CHECK(dense(parse_matrix_market<float, std::int32_t, Off>(
            mirrored + "2 2 2\n2 1 0.5\n2 2 -2\n")) == Dense<float>{{0, 0.5f}, {0.5f, -2}});
}

TEST_CASE_TEMPLATE("every offset with ordinals of 64 bits", Off, std::int64_t, std::size_t) {
  const auto matrix =
      parse_matrix_market<double, std::int64_t, Off>(real + "2 5000000000 1\n2 4000000000 0.5\n");
  CHECK(matrix.columns() == 5000000000);
  CHECK(matrix.col_idx()(0) == 3999999999);
}

TEST_CASE("the header alone") {
  const auto header = heddle::parse_matrix_market_header(
      market + "array complex hermitian\n% one\r\n\n%two\n%\n4 4\n not a number");
  CHECK(header.format == heddle::MatrixMarketFormat::array);
  CHECK(header.field == heddle::MatrixMarketField::complex);
  CHECK(header.symmetry == heddle::MatrixMarketSymmetry::hermitian);
  CHECK(header.rows == 4);
  CHECK(header.columns == 4);
  CHECK(header.entries == 10);
  CHECK(header.comment == " one\ntwo\n");
  CHECK(heddle::parse_matrix_market_header(natural + "1 1 0\n").field ==
        heddle::MatrixMarketField::unsigned_integer);
}

TEST_CASE("the header of a file is read after long comments, compressed, and through a pipe") {
  const auto with_comments = [](int lines) {
    std::string text = real;
    for (int i = 0; i < lines; ++i) text += "% this comment is long\n";
    return text + "30 20 10\n";
  };
  const auto check_header = [](const std::string& path) {
    const auto header = heddle::read_matrix_market_header(path);
    CHECK(header.rows == 30);
    CHECK(header.columns == 20);
    CHECK(header.entries == 10);
  };
  for (const std::string& suffix : files_test::with_compressions(".mtx")) {
    const files_test::TemporaryFile file(suffix);
    heddle::files::write_pieces(file.path(), 1, 1,
                                [&](std::size_t) { return with_comments(20000); });
    check_header(file.path());
  }
  const files_test::TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::jthread writer([&] { heddle::files::write_whole_file(pipe, with_comments(10000)); });
  check_header(pipe);
  const files_test::TemporaryFile wrong(".mtx", "% no banner\n");
  CHECK(error_of([&] { heddle::read_matrix_market_header(wrong.path()); }).where().line == 1);
}

TEST_CASE("a header that does not end where one is looked for is an Error") {
  constexpr std::size_t longest = std::size_t{1} << 18;
  const auto with_comments = [](std::size_t bytes) {
    std::string text = real;
    while (text.size() < bytes) text += "% comment\n";
    return text + "3 2 0\n";
  };
  const files_test::TemporaryFile shorter(".mtx", with_comments(longest / 2));
  CHECK(heddle::files::read_header(shorter.path(), longest).rows == 3);
  const files_test::TemporaryFile longer(".mtx", with_comments(longest + 100));
  const auto error = error_of([&] { heddle::files::read_header(longer.path(), longest); });
  CHECK(error.problem() == "the first 262144 bytes of the file have no sizes");
  CHECK(error.where().file == longer.path());
  CHECK(error.remedy() == "shorten its comments");
  CHECK(heddle::read_matrix_market_header(longer.path()).rows == 3);
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
  std::string shuffled =
      market + "coordinate complex general\n20000 15000 " + std::to_string(lines.size()) + "\n";
  for (const std::string& line : lines) shuffled += line;
  const auto read = [&](int threads, heddle::Duplicates duplicates) {
    return parse_matrix_market<Complex>(shuffled, "t",
                                        {.threads = threads, .duplicates = duplicates});
  };
  using enum heddle::Duplicates;
  const auto alone = read(1, add);
  CHECK(alone.nonzeros() == matrix.nonzeros());
  CHECK(alone.values()(0) == 2.0 * matrix.values()(0));
  for (const int threads : {2, 5}) CHECK(same(alone, read(threads, add)));
  CHECK(std::string(error_of([&] { read(1, error); }).what()) ==
        error_of([&] { read(4, error); }).what());
}

TEST_CASE("of a header and its sizes a mistake is named, with its line") {
  const Refused mistakes[] = {
      {"", 1, "not a Matrix Market file"},
      {"%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, "not a Matrix Market file"},
      {"%%MatrixMarketmatrix coordinate real general\n", 1, "not a Matrix Market file"},
      {"%%MatrixMarket vector coordinate real general\n1 1 0\n", 1, "object 'vector'"},
      {"%%MatrixMarket matrix\n", 1, "format ''"},
      {market + "coordinates real general\n1 1 0\n", 1, "format 'coordinates'"},
      {market + "coordinate quaternion general\n", 1, "field 'quaternion'"},
      {market + "coordinate real\n1 1 0\n", 1, "symmetry ''"},
      {market + "coordinate real lopsided\n", 1, "symmetry 'lopsided'"},
      {market + "coordinate real general extra\n", 1, "'extra' follows"},
      {market + "array pattern general\n1 1\n", 1, "no values"},
      {market + "coordinate pattern skew-symmetric\n", 1, "cannot be skew"},
      {market + "coordinate real hermitian\n1 1 0\n", 1, "only a complex"},
      {real.substr(0, real.size() - 1), 1, "before the line with the sizes"},
      {real, 2, "before the line with the sizes"},
      {real + "% only\n\n% comments\n", 5, "before the line with the sizes"},
      {real + "%\n-1 2 0\n", 3, "a size is -1"},
      {real + "2 -2 0\n", 2, "a size is -2"},
      {real + "2 2 -1\n", 2, "a size is -1"},
      {real + "2 2\n1 1 1\n", 2, "the line ends where a number of entries belongs"},
      {real + "2 two 1\n", 2, "'two' is not a number of columns"},
      {real + "2.0 2 1\n", 2, "'2.0' is not a number of rows"},
      {real + "2 2 1 1\n", 2, "'1' follows the sizes"},
      {array + "2 2 4\n", 2, "'4' follows the sizes"},
      {mirrored + "2 3 0\n", 2, "symmetric, yet 2 x 3"},
      {real + "99999999999999999999 1 1\n", 2, "does not fit"},
      // Sizes beyond the text, the types or the memory are refused before they are allocated.
      {real + "10 10 1000000000000000\n1 1 1\n", 4, "after 1 of 1000000000000000 entries"},
      {array + "1000000000 1000000000\n1\n", 4, "after 1 of 1000000000000000000 entries"},
      {array + "9000000000000000000 9000000000000000000\n1\n", 2, "the array has"},
      {array + "100 100\n1", 3, "after 1 of 10000 entries"},
      {real + "3000000000 1 0\n", 2, "ordinals of 32 bits"},
      {real + "1 3000000000 0\n", 2, "ordinals of 32 bits"},
  };
  for (const Refused& mistake : mistakes) check(mistake);
  for (const std::string mark : {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}) {
    check({mark + real + "1 1 0\n", 1, "byte-order mark"});
    const auto either = error_of([&] { heddle::parse_matrix(mark + real + "1 1 0\n"); });
    CHECK(either.problem().find("byte-order mark") != std::string::npos);
  }
  check<double, std::int64_t, std::int64_t>({real + "9000000000000000000 1 0\n", 2, "bytes"});
  const heddle::ReadOptions small{.max_bytes = 1'000'000};
  check({real + "1000000 1 0\n", 2, "needs more than 1000000 bytes"}, small);
  CHECK(parse_matrix_market(real + "1000 1 0\n", "t", small).rows() == 1000);
}

TEST_CASE("of lines that are no entry the first is named, with what is wrong") {
  // Each is the second entry, on line 4, of a matrix of 2 x 3.
  const struct {
    std::string entry, why, remedy = "";
  } entries[] = {
      {"1 x 1", "'x' is not a column"},
      {"1", "the line ends where a column belongs"},
      {"2 1", "the line ends where a number belongs"},
      {"1.0 2 1", "'1.0' is not a row"},
      {"1 2 abc", "'abc' is not a number"},
      {"1 2 1.5x", "'1.5x' is not a number"},
      {"1 2 0x10", "'0x10' is not a number"},
      {"1 2 +-1", "is not a number"},
      {"1 2 1-", "'1-' is not a number"},
      {"1 2 nan-2", "'nan-2' is not a number"},
      {"1 2 1 9", "'9' follows a complete entry"},
      {"1 2 1,5", "'1,5' is not a number"},
      {"1 2 1 % note", "'%' follows"},
      {"1 2 + 5", "'+' is not a number"},
      {"1 2 +", "'+' is not a number"},
      {"1 2 " + std::string("\0\1\xff", 3), "' is not a number"},
      {"1 2 " + std::string(5000, '7') + "z", "77...' is not a number"},
      {"0 1 1", "row 0 is not among the rows 1 to 2"},
      {"1 0 1", "column 0 is not among the columns 1 to 3", "counts from 1"},
      {"3 1 1", "row 3 is not among"},
      {"1 4 1", "column 4 is not among"},
      {"-1 1 1", "row -1 is not among"},
      {"4294967297 1 1", "row 4294967297 is not among"},
      {"18446744073709551617 1 1", "does not fit"},
      {std::string(300, '9') + " 1 1", "does not fit", "correct"},
      {"1 2 1e400", "does not fit into double", "scale"},
      {"1 2 -1D400", "does not fit into double"},
      {"1 2 " + std::string(400, '9'), "does not fit into double"},
      {"1 2 1e99999999999999999999", "does not fit into double"},
      {"1 1 1", "row 1, column 1 was given before, on line 3", "Duplicates::add"},
  };
  for (const auto& [entry, why, remedy] : entries) {
    check({real + "2 3 2\n1 1 1\n" + entry + "\n", 4, why, remedy});
  }
  const Refused mistakes[] = {
      {array + "1 2\n1 2\n", 3, "'2' follows a complete entry"},
      {whole + "1 1 1\n1 1 1.5\n", 3, "'1.5' is not a whole number"},
      {whole + "1 1 1\n1 1 1-2\n", 3, "is not a whole number"},
      {whole + "1 1 1\n1 1 1+2\n", 3, "is not a whole number"},
      {whole + "1 1 1\n1 1 -1-2\n", 3, "is not a whole number"},
      {whole + "1 1 1\n1 1 + 5\n", 3, "'+' is not a number"},
      {whole + "1 1 1\n1 1 " + std::string(400, '9'), 3, "does not fit into double"},
      {natural + "1 1 1\n1 1 -1\n", 3, "'-1' is not a whole number without a sign"},
      {market + "coordinate pattern general\n1 1 1\n1 1 1\n", 3, "'1' follows"},
      {real + "0 3 1\n1 1 1\n", 3, "there are entries, but no rows"},
      {real + "3 0 1\n1 1 1\n", 3, "there are entries, but no columns"},
      // Too few entries and too many.
      {real + "2 2 3\n1 1 1\n2 2 2\n%\n\n", 7, "after 2 of 3 entries"},
      {real + "2 2 3\n1 1 1\n2 2 2\n2 1", 5, "the line ends where a number belongs"},
      {real + "2 2 1\n1 1 1\n\n2 2 2\n2 1 2\n", 5, "one more"},
      {real + "2 2 0\n1 1 1\n", 3, "one more"},
      {array + "2 1\n1\n\n2\n3\n", 6, "one more"},
      {array + "2 1\n1.25\n", 4, "after 1 of 2 entries"},
      // Entries that repeat, and those that the symmetry rules out.
      {real + "2 2 3\n1 1 1\n2 2 2\n1 1 1\n", 5, "row 1, column 1 was given before, on line 3"},
      {mirrored + "2 2 3\n2 1 1\n%\n2 2 2\n2 1 1\n", 6,
       "row 2, column 1 was given before, on line 3"},
      {mirrored + "2 2 2\n1 1 1\n1 2 1\n", 4, "above the diagonal"},
      {skew + "2 2 2\n2 1 1\n2 2 0\n", 4, "on the diagonal"},
      {skew + "2 2 2\n2 1 1\n1 2 0\n", 4, "above the diagonal"},
      {market + "array real skew-symmetric\n2 2\n% three\n0\n1\n0\n", 4,
       "3 numbers, which are those below the diagonal and the diagonal"},
      {market + "array real skew-symmetric\n3 3\n1\n2\n3\n4\n", 6, "one more"},
  };
  for (const Refused& mistake : mistakes) check(mistake);
  check<float>({real + "1 1 1\n1 1 1e40\n", 3, "does not fit into float"});
  check<Complex>({market + "coordinate complex general\n1 1 1\n1 1 1\n", 3,
                  "the line ends where a number belongs"});
  check<Complex>({hermitian + "2 2 2\n2 1 1 1\n2 2 1 1\n", 4, "is real"});
  check<Complex>({market + "array complex hermitian\n2 2\n1 0\n\n1 1\n1 1\n", 6, "is real"});
}

TEST_CASE("of several mistakes the first in the file is named, whatever the threads") {
  std::string text = real + "1000000 1000000 500000\n";
  for (int i = 1; i <= 500000; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 1\n";
  auto spoil = [&](int line, const std::string& with) {
    std::size_t at = 0;
    for (int i = 1; i < line; ++i) at = text.find('\n', at) + 1;
    text.replace(at, with.size(), with);
  };
  spoil(400000, "zzz");
  spoil(300000, "?");
  spoil(499999, "0");
  for (const int threads : {1, 2, 8}) check({text, 300000, "'?"}, {.threads = threads});
}

TEST_CASE("files that cannot be read") {
  const auto missing = error_of([] { heddle::read_matrix_market("/nonexistent/a.mtx"); });
  CHECK(missing.where().file == "/nonexistent/a.mtx");
  CHECK_THROWS_AS(heddle::read_matrix_market("/"), heddle::Error);
  CHECK_THROWS_AS(heddle::read_matrix("/nonexistent/a.mtx"), heddle::Error);
  const files_test::TemporaryFile empty(".mtx", "");
  CHECK_THROWS_AS(heddle::read_matrix_market(empty.path()), heddle::Error);
  const auto unknown = error_of([&] { heddle::read_matrix(empty.path()); });
  CHECK(unknown.remedy().find("PETSc") != std::string::npos);
}
