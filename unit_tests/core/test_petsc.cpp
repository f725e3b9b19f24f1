// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PETSc's files that are read, and those that are refused; what is written: test_files_written.cpp.
#include "../support/files.hpp"

using files_test::dense;
using files_test::error_of;
using heddle::parse_petsc;
using heddle::PetscScalar;

namespace {

using Complex = Kokkos::complex<double>;

template <class Integer>
std::string big_endian(std::initializer_list<std::int64_t> integers) {
  std::string bytes;
  for (const std::int64_t integer : integers) {
    for (int shift = 8 * (sizeof(Integer) - 1); shift >= 0; shift -= 8) {
      bytes += static_cast<char>(integer >> shift);
    }
  }
  return bytes;
}

template <class Real>
std::string numbers(std::initializer_list<double> values) {
  std::string bytes;
  for (const double value : values) {
    const auto real = static_cast<Real>(value);
    std::string one(sizeof(Real), '\0');
    std::memcpy(one.data(), &real, sizeof(Real));
    if (std::endian::native == std::endian::little) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

// A 2 x 3 matrix, with rows of 2 and 1 entries.
template <class Integer = std::int32_t>
std::string pattern() {
  return big_endian<Integer>({1211216, 2, 3, 3, 2, 1, 0, 2, 1});
}

const std::vector<std::vector<double>> expected{{0.1, 0, -2}, {0, 1e300, 0}};

std::string replaced(std::string bytes, std::size_t at, const std::string& with) {
  return bytes.replace(at, with.size(), with);
}

/// The content must be refused with a problem that contains `why`, at that row.
template <class S = double>
void refused(const std::string& content, const std::string& why, std::int64_t row = -1,
             const heddle::ReadOptions& options = {}) {
  const auto error = error_of([&] { parse_petsc<S>(content, "bad.petsc", options); });
  const std::string what = error.what();
  CAPTURE(what);
  CAPTURE(why);
  CHECK(error.problem().find(why) != std::string::npos);
  CHECK(error.where().file == "bad.petsc");
  CHECK(error.where().row == row);
  CHECK(!error.remedy().empty());
}

}  // namespace

TEST_CASE("integers of 32 and 64 bits, by the first bytes") {
  const std::string values = numbers<double>({0.1, -2, 1e300});
  CHECK(dense(parse_petsc(pattern() + values)) == expected);
  CHECK(dense(parse_petsc(pattern<std::int64_t>() + values)) == expected);
  CHECK(dense(parse_petsc<double, std::int64_t, std::size_t>(pattern<std::int64_t>() + values)) ==
        expected);
}

TEST_CASE("kinds of numbers, by the length or by name") {
  const std::string pairs = pattern() + numbers<double>({0.5, 1, -2, 3, 4, -5});
  const auto complex = parse_petsc<Complex>(pairs);
  CHECK(complex.values()(0) == Complex(0.5, 1));
  CHECK(complex.values()(2) == Complex(4, -5));
  refused(pairs, "complex matrix cannot become a real one");

  const auto single = parse_petsc(pattern() + numbers<float>({0.1, -2, 3}), "t",
                                  {.petsc_scalar = PetscScalar::float32});
  CHECK(single.values()(0) == static_cast<double>(0.1f));

  const auto named = parse_petsc<Complex>(pattern() + numbers<float>({0.5, 1, -2, 3, 4, -5}), "t",
                                          {.petsc_scalar = PetscScalar::complex64});
  CHECK(named.values()(1) == Complex(-2, 3));
  const auto real_as_complex = parse_petsc<Complex>(pattern() + numbers<double>({0.1, -2, 3}), "t",
                                                    {.petsc_scalar = PetscScalar::float64});
  CHECK(real_as_complex.values()(1) == Complex(-2));
  const auto rounded = parse_petsc<float>(pattern() + numbers<double>({0.1, -2, 1e-300}));
  CHECK(rounded.values()(0) == 0.1f);
  CHECK(rounded.values()(2) == 0);
  refused<float>(pattern() + numbers<double>({0.1, -2, 1e300}),
                 "the number 1e+300 does not fit into float (byte 52)");
}

TEST_CASE("numbers cut off are not taken for shorter ones") {
  const std::string reals = numbers<double>({0.1, -2, 1e300});
  const std::string pairs = numbers<double>({0.5, 1, -2, 3, 4, -5});
  CHECK(parse_petsc(pattern() + reals).nonzeros() == 3);
  CHECK(parse_petsc<Complex>(pattern() + pairs).nonzeros() == 3);
  refused(pattern() + reals.substr(0, 12), "the numbers have 4 bytes each: float32, or a file of");
  refused<Complex>(pattern() + pairs.substr(0, 12), "the numbers have 4 bytes each");
  refused<Complex>(pattern() + pairs.substr(0, 24), "float64 or complex64, or complex128 that was");
  const auto error = error_of([&] { parse_petsc(pattern() + reals.substr(0, 12)); });
  CHECK(error.remedy().find("petsc_scalar") != std::string::npos);
}

TEST_CASE_TEMPLATE("a vector after the matrix is named, whatever its length", Integer, std::int32_t,
                   std::int64_t) {
  const std::string matrix = pattern<Integer>();
  const std::string reals = numbers<double>({0.1, -2, 1e300});
  const std::string head = big_endian<Integer>({1211214, 2});
  // A vector of 24 bytes after 24 bytes of values, so that both could be longer numbers.
  const std::string vector = head + std::string(24 - head.size(), '\1');
  const std::string byte = " (byte " + std::to_string(matrix.size() + 24) + ")";
  refused<Complex>(matrix + reals + vector, "a vector follows the matrix" + byte);
  refused(matrix + reals + vector, "a vector follows the matrix" + byte);
  refused(matrix + reals + head + "12", "a vector follows the matrix");
  refused(matrix + numbers<float>({1, 2, 3}) + head, "a vector follows", -1,
          {.petsc_scalar = PetscScalar::float32});
  refused(big_endian<Integer>({1211216, 1, 1, 0, 0}) + head, "a vector follows the matrix");
}

TEST_CASE("columns in disorder are sorted, repeated ones are an error or added up") {
  const std::string disorder =
      big_endian<std::int32_t>({1211216, 1, 3, 3, 3, 2, 0, 1}) + numbers<double>({1, 2, 3});
  CHECK(dense(parse_petsc(disorder)) == std::vector<std::vector<double>>{{2, 3, 1}});
  CHECK(parse_petsc(disorder).col_idx()(0) == 0);
  const std::string twice =
      big_endian<std::int32_t>({1211216, 2, 3, 3, 0, 3, 2, 0, 2}) + numbers<double>({1, 2, 3});
  refused(twice, "column 2 occurs twice", 1);
  const auto added = parse_petsc(twice, "t", {.duplicates = heddle::Duplicates::add});
  CHECK(added.nonzeros() == 2);
  CHECK(dense(added) == std::vector<std::vector<double>>{{0, 0, 0}, {2, 0, 4}});
}

TEST_CASE("matrices without rows, columns or entries") {
  CHECK(parse_petsc(big_endian<std::int32_t>({1211216, 0, 0, 0})).rows() == 0);
  CHECK(parse_petsc(big_endian<std::int32_t>({1211216, 2, 0, 0, 0, 0})).rows() == 2);
  CHECK(parse_petsc<Complex>(big_endian<std::int64_t>({1211216, 0, 5, 0})).columns() == 5);
}

TEST_CASE("what is damaged is refused") {
  const std::string values = numbers<double>({0.1, -2, 1e300});
  const std::string good = pattern() + values, wide = pattern<std::int64_t>() + values;
  refused("", "not a matrix in PETSc's binary form");
  refused("%%MatrixMarket matrix", "not a matrix in PETSc's binary form");
  for (std::size_t length = 0; length < good.size(); ++length) {
    const bool half = length == pattern().size() + 3 * sizeof(float);
    refused(good.substr(0, length), length < 4 ? "not a matrix"
                                    : half     ? "float32"
                                               : "the file ends");
  }
  refused(good + "x", "1 bytes follow the matrix (byte 60)");
  refused(good, "12 bytes follow", -1, {.petsc_scalar = PetscScalar::float32});
  refused<Complex>(good, "the file ends before them", -1,
                   {.petsc_scalar = PetscScalar::complex128});
  refused(good, "needs more than 20 bytes", -1, {.max_bytes = 20});

  // One of the integers is another; the row is -1 where none is at fault.
  const struct {
    std::size_t integer;
    std::int64_t value;
    std::string why;
    std::int64_t row = -1;
  } of_32_bits[] =
      {
          {1, -1, "-1 x 3 (byte 4)"},
          {2, -7, "2 x -7"},
          {3, -1, "dense"},
          {3, -2, "-2 nonzeros (byte 12)"},
          {1, 2147483647, "ends before them"},
          {3, 2147483647, "ends before them"},
          {4, -2, "a row has -2 entries", 0},
          {4, 4, "a row has 4 entries, with 3 of 3 nonzeros left (byte 16)", 0},
          {5, 2, "a row has 2 entries, with 1 of 3 nonzeros left (byte 20)", 1},
          {5, 0, "the rows have 2 entries, and the header announces 3"},
          {6, -1, "column -1 is not among the columns 0 to 2 (byte 24)", 0},
          {8, 3, "column 3 is not among the columns 0 to 2 (byte 32)", 1},
          {2, 0, "there are entries, but no columns (byte 24)", 0},
      },
    of_64_bits[] = {
        {2, 5000000000, "ordinals of 32 bits"},
        {3, 1LL << 62, "ends before them"},
        {1, 1LL << 62, "ends before them"},
        {4, 1LL << 62, "a row has 46116860184", 0},
    };
  for (const auto& [at, value, why, row] : of_32_bits) {
    refused(replaced(good, at * 4, big_endian<std::int32_t>({value})), why, row);
  }
  for (const auto& [at, value, why, row] : of_64_bits) {
    refused(replaced(wide, at * 8, big_endian<std::int64_t>({value})), why, row);
  }
}
