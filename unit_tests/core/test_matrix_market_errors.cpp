// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/files.hpp"

using files_test::error_of;
using heddle::parse_matrix_market;

namespace {

/// The text must be refused at that line, for a reason that contains `why`, with a remedy.
template <class S = double, class O = int, class Off = int>
void refused(const std::string& text, std::int64_t line, const std::string& why,
             const heddle::ReadOptions& options = {}) {
  CAPTURE(text.substr(0, 200));
  const heddle::Error error =
      error_of([&] { parse_matrix_market<S, O, Off>(text, "bad.mtx", options); });
  const std::string what = error.what();
  CAPTURE(what);
  CHECK(error.where().line == line);
  CHECK(error.where().file == "bad.mtx");
  CHECK(error.problem().find(why) != std::string::npos);
  CHECK(!error.remedy().empty());
}

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

}  // namespace

TEST_CASE("headers that are none") {
  refused("", 1, "not a Matrix Market file");
  refused("%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, "not a Matrix Market file");
  refused("%%MatrixMarketmatrix coordinate real general\n", 1, "not a Matrix Market file");
  refused("%%MatrixMarket vector coordinate real general\n1 1 0\n", 1, "object 'vector'");
  refused("%%MatrixMarket matrix\n", 1, "format ''");
  refused("%%MatrixMarket matrix coordinates real general\n1 1 0\n", 1, "format 'coordinates'");
  refused("%%MatrixMarket matrix coordinate quaternion general\n", 1, "field 'quaternion'");
  refused("%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, "symmetry ''");
  refused("%%MatrixMarket matrix coordinate real lopsided\n", 1, "symmetry 'lopsided'");
  refused("%%MatrixMarket matrix coordinate real general extra\n", 1, "'extra' follows");
  refused("%%MatrixMarket matrix array pattern general\n1 1\n", 1, "no values");
  refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, "cannot be skew");
  refused("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1, "only a complex");
  refused("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", 1, "complex");
  for (const std::string mark : {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}) {
    refused(mark + real + "1 1 0\n", 1, "byte-order mark");
    const auto either = error_of([&] { heddle::parse_matrix(mark + real + "1 1 0\n"); });
    CHECK(either.problem().find("byte-order mark") != std::string::npos);
  }
}

TEST_CASE("sizes that are none") {
  refused(real.substr(0, real.size() - 1), 1, "before the line with the sizes");
  refused(real, 2, "before the line with the sizes");
  refused(real + "% only\n\n% comments\n", 5, "before the line with the sizes");
  refused(real + "%\n-1 2 0\n", 3, "a size is -1");
  refused(real + "2 -2 0\n", 2, "a size is -2");
  refused(real + "2 2 -1\n", 2, "a size is -1");
  refused(real + "2 2\n1 1 1\n", 2, "the line ends where a number of entries belongs");
  refused(real + "2 two 1\n", 2, "'two' is not a number of columns");
  refused(real + "2.0 2 1\n", 2, "'2.0' is not a number of rows");
  refused(real + "2 2 1 1\n", 2, "'1' follows the sizes");
  refused(array + "2 2 4\n", 2, "'4' follows the sizes");
  refused(symmetric + "2 3 0\n", 2, "symmetric, yet 2 x 3");
  refused(real + "99999999999999999999 1 1\n", 2, "does not fit");
}

TEST_CASE("sizes beyond the text, the types or the memory are refused before they are allocated") {
  refused(real + "10 10 1000000000000000\n1 1 1\n", 4, "after 1 of 1000000000000000 entries");
  refused(array + "1000000000 1000000000\n1\n", 4, "after 1 of 1000000000000000000 entries");
  refused(array + "9000000000000000000 9000000000000000000\n1\n", 2, "the array has");
  refused(array + "100 100\n1", 3, "after 1 of 10000 entries");
  refused(real + "3000000000 1 0\n", 2, "ordinals of 32 bits");
  refused(real + "1 3000000000 0\n", 2, "ordinals of 32 bits");
  refused<double, std::int64_t, std::int64_t>(real + "9000000000000000000 1 0\n", 2, "bytes");
  refused(real + "1000000 1 0\n", 2, "needs more than 1000000 bytes", {.max_bytes = 1'000'000});
  CHECK(parse_matrix_market(real + "1000 1 0\n", "t", {.max_bytes = 1'000'000}).rows() == 1000);
}

TEST_CASE("too few entries and too many") {
  refused(real + "2 2 3\n1 1 1\n2 2 2\n%\n\n", 7, "after 2 of 3 entries");
  refused(real + "2 2 3\n1 1 1\n2 2 2\n2 1", 5, "the line ends where a number belongs");
  refused(real + "2 2 1\n1 1 1\n\n2 2 2\n2 1 2\n", 5, "one more");
  refused(real + "2 2 0\n1 1 1\n", 3, "one more");
  refused(array + "2 1\n1\n\n2\n3\n", 6, "one more");
  refused(array + "2 1\n1.25\n", 4, "after 1 of 2 entries");
}

TEST_CASE("lines that are no entry") {
  refused(real + "2 2 2\n1 1 1\n1 x 1\n", 4, "'x' is not a column");
  refused(real + "2 2 2\n1 1 1\n1\n", 4, "the line ends where a column belongs");
  refused(real + "2 2 2\n1 1 1\n1.0 2 1\n", 4, "'1.0' is not a row");
  refused(real + "2 2 2\n1 1 1\n1 2 abc\n", 4, "'abc' is not a number");
  refused(real + "2 2 2\n1 1 1\n1 2 1.5x\n", 4, "'1.5x' is not a number");
  refused(real + "2 2 2\n1 1 1\n1 2 0x10\n", 4, "'0x10' is not a number");
  refused(real + "2 2 2\n1 1 1\n1 2 +-1\n", 4, "is not a number");
  refused(real + "2 2 2\n1 1 1\n1 2 1 9\n", 4, "'9' follows a complete entry");
  refused(real + "2 2 2\n1 1 1\n1 2 1,5\n", 4, "'1,5' is not a number");
  refused(real + "2 2 2\n1 1 1\n1 2 1 % note\n", 4, "'%' follows");
  refused(array + "1 2\n1 2\n", 3, "'2' follows a complete entry");
  refused(std::string("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"), 3,
          "'1.5' is not a whole number");
  for (const std::string number : {"1-2", "1+2", "-1-2"}) {
    refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 " + number + "\n", 3,
            "is not a whole number");
  }
  refused(real + "1 1 1\n1 1 1-\n", 3, "'1-' is not a number");
  refused(real + "1 1 1\n1 1 nan-2\n", 3, "'nan-2' is not a number");
  refused("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 -1\n", 3,
          "'-1' is not a whole number without a sign");
  refused("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3, "'1' follows");
  refused<Kokkos::complex<double>>(
      "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n", 3,
      "the line ends where a number belongs");
  refused(real + "2 2 2\n1 1 1\n1 2 " + std::string("\0\1\xff", 3) + "\n", 4, "' is not a number");
  refused(real + "1 1 1\n1 1 " + std::string(5000, '7') + "z\n", 3, "77...' is not a number");
  refused(real + "1 1 1\n1 1 + 5\n", 3, "'+' is not a number");
  refused(real + "1 1 1\n1 1 +\n", 3, "'+' is not a number");
  refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 + 5\n", 3,
          "'+' is not a number");
}

TEST_CASE("indices and numbers out of range") {
  refused(real + "2 3 1\n0 1 1\n", 3, "row 0 is not among the rows 1 to 2");
  refused(real + "2 3 1\n1 0 1\n", 3, "column 0 is not among the columns 1 to 3");
  const auto zero = error_of([] { parse_matrix_market(real + "2 3 1\n1 0 1\n"); });
  CHECK(zero.remedy().find("counts from 1") != std::string::npos);
  refused(real + "2 3 1\n3 1 1\n", 3, "row 3 is not among");
  refused(real + "2 3 1\n1 4 1\n", 3, "column 4 is not among");
  refused(real + "2 3 1\n-1 1 1\n", 3, "row -1 is not among");
  refused(real + "2 3 1\n4294967297 1 1\n", 3, "row 4294967297 is not among");
  refused(real + "2 3 1\n18446744073709551617 1 1\n", 3, "does not fit");
  refused(real + "0 3 1\n1 1 1\n", 3, "there are entries, but no rows");
  refused(real + "3 0 1\n1 1 1\n", 3, "there are entries, but no columns");
  auto remedy = [](const std::string& body) {
    return error_of([&] { parse_matrix_market(real + body); }).remedy();
  };
  CHECK(remedy("2 3 1\n" + std::string(300, '9') + " 1 1\n").find("correct") != std::string::npos);
  CHECK(remedy("1 1 1\n1 1 1e400\n").find("scale") != std::string::npos);
  refused(real + "1 1 1\n1 1 1e400\n", 3, "does not fit into double");
  refused<float>(real + "1 1 1\n1 1 1e40\n", 3, "does not fit into float");
  refused(real + "1 1 1\n1 1 -1D400\n", 3, "does not fit into double");
  refused(real + "1 1 1\n1 1 " + std::string(400, '9') + "\n", 3, "does not fit into double");
  refused(real + "1 1 1\n1 1 1e99999999999999999999\n", 3, "does not fit into double");
  refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 " + std::string(400, '9'),
          3, "does not fit into double");
}

TEST_CASE("entries that repeat") {
  refused(real + "2 2 3\n1 1 1\n2 2 2\n1 1 1\n", 5, "row 1, column 1 was given before, on line 3");
  refused(symmetric + "2 2 3\n2 1 1\n%\n2 2 2\n2 1 1\n", 6,
          "row 2, column 1 was given before, on line 3");
  const auto error = error_of([] { parse_matrix_market(real + "1 1 2\n1 1 1\n1 1 1\n"); });
  CHECK(error.remedy().find("Duplicates::add") != std::string::npos);
}

TEST_CASE("entries that the symmetry rules out") {
  refused(symmetric + "2 2 2\n1 1 1\n1 2 1\n", 4, "above the diagonal");
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
  refused(skew + "2 2 2\n2 1 1\n2 2 0\n", 4, "on the diagonal");
  refused(skew + "2 2 2\n2 1 1\n1 2 0\n", 4, "above the diagonal");
  const std::string skew_array = "%%MatrixMarket matrix array real skew-symmetric\n";
  refused(skew_array + "2 2\n% three\n0\n1\n0\n", 4,
          "3 numbers, which are those below the diagonal and the diagonal");
  refused(skew_array + "3 3\n1\n2\n3\n4\n", 6, "one more");
  const std::string hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n";
  refused<Kokkos::complex<float>>(hermitian + "2 2 2\n2 1 1 1\n2 2 1 1\n", 4, "is real");
  refused<Kokkos::complex<float>>(
      "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n\n1 1\n1 1\n", 6, "is real");
}

TEST_CASE("of several mistakes the first in the file is told, whatever the threads") {
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
  for (const int threads : {1, 2, 8}) refused(text, 300000, "'?", {.threads = threads});
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
