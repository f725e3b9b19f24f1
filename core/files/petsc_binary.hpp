// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "csr_build.hpp"
#include "load.hpp"
#include "options.hpp"
#include "output_file.hpp"

namespace heddle::files {

/// First number of every matrix in PETSc's binary format.
inline constexpr std::int64_t petsc_matrix_id = 1211216;
/// First number of every vector in PETSc's binary format.
inline constexpr std::int64_t petsc_vector_id = 1211214;

template <class Integer>
Integer from_big_endian(const char* at) {
  std::make_unsigned_t<Integer> value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value = static_cast<decltype(value)>(value << 8 | static_cast<unsigned char>(at[i]));
  }
  return static_cast<Integer>(value);
}

template <class Integer>
char* to_big_endian(char* to, Integer integer) {
  auto value = static_cast<std::make_unsigned_t<Integer>>(integer);
  for (std::size_t i = sizeof(Integer); i-- > 0; value >>= 8) {
    to[i] = static_cast<char>(value & 0xff);
  }
  return to + sizeof(Integer);
}

/// Bytes of an integer in a PETSc file: 4 or 8, or 0 if the content is not a PETSc matrix.
inline int petsc_integer_bytes(std::string_view content) {
  if (content.size() >= 4 && from_big_endian<std::int32_t>(content.data()) == petsc_matrix_id) {
    return 4;
  }
  if (content.size() >= 8 && from_big_endian<std::int64_t>(content.data()) == petsc_matrix_id) {
    return 8;
  }
  return 0;
}

/// Makes CSR from the content of a PETSc binary file whose integers are of type Integer.
template <class Integer, Scalar S, Ordinal O, Offset Off>
class PetscReader {
 public:
  using Storage = HostStorage<S, O, Off>;

  PetscReader(std::string_view content, const ReadOptions& options, const std::string& name)
      : content_(content),
        options_(options),
        name_(name),
        threads_(thread_count(options.threads)) {}

  Storage read() {
    parse_sizes();
    find_sections();
    check_sizes<S, O, Off>(rows_, columns_, nonzeros_, options_, Where{.file = name_});
    check_row_lengths();
    Storage matrix = allocate_csr<S, O, Off>(rows_, columns_, nonzeros_);
    fill_pattern(matrix);
    switch (scalar_) {
      case PetscScalar::float32: fill_values<std::uint32_t, float, false>(matrix); break;
      case PetscScalar::complex64: fill_values<std::uint32_t, float, true>(matrix); break;
      case PetscScalar::complex128: fill_values<std::uint64_t, double, true>(matrix); break;
      default: fill_values<std::uint64_t, double, false>(matrix);
    }
    const std::optional<Duplicate> duplicate = sort_rows<S, O, Off>(threads_, matrix);
    if (!duplicate) return matrix;
    if (options_.duplicates == Duplicates::error) {
      throw Error("column " + std::to_string(duplicate->column) + " occurs twice",
                  Where{.file = name_, .row = duplicate->row},
                  "add repeated entries up with Duplicates::add");
    }
    return add_duplicates<S, O, Off>(matrix);
  }

 private:
  static constexpr std::size_t integer_bytes = sizeof(Integer);
  static constexpr std::size_t header_bytes = 4 * integer_bytes;

  Integer integer(std::size_t offset) const {
    return from_big_endian<Integer>(content_.data() + offset);
  }

  [[noreturn]] void fail(const std::string& problem, std::size_t byte, const std::string& remedy,
                         std::int64_t row = -1) const {
    throw Error(problem + " (byte " + std::to_string(byte) + ")", Where{.file = name_, .row = row},
                remedy);
  }

  void parse_sizes() {
    if (content_.size() < header_bytes) {
      fail("the file ends inside its header of " + std::to_string(header_bytes) + " bytes",
           content_.size(), "fetch it again: it was cut off");
    }
    rows_ = integer(integer_bytes);
    columns_ = integer(2 * integer_bytes);
    nonzeros_ = integer(3 * integer_bytes);
    if (rows_ < 0 || columns_ < 0) {
      fail("the header gives the size " + std::to_string(rows_) + " x " + std::to_string(columns_),
           integer_bytes, "fetch the file again");
    }
    if (nonzeros_ == -1) {
      fail("the matrix is dense", 3 * integer_bytes, "write it again as AIJ");
    }
    if (nonzeros_ < 0) {
      fail("the header gives " + std::to_string(nonzeros_) + " nonzeros", 3 * integer_bytes,
           "fetch the file again");
    }
  }

  static std::size_t scalar_bytes(PetscScalar scalar) {
    switch (scalar) {
      case PetscScalar::float32: return 4;
      case PetscScalar::complex128: return 16;
      default: return 8;
    }
  }

  /// Finds row lengths, columns and values, which follow each other to the end of the file: its
  /// length bounds every size before anything is allocated.
  void find_sections() {
    const auto rows = static_cast<std::uint64_t>(rows_),
               count = static_cast<std::uint64_t>(nonzeros_);
    const std::uint64_t room = content_.size() - header_bytes;
    if (rows > room / integer_bytes ||
        count > (room - rows * integer_bytes) / (integer_bytes + scalar_bytes(smallest_scalar()))) {
      fail("the header announces " + std::to_string(rows_) + " rows and " +
               std::to_string(nonzeros_) + " nonzeros, and the file ends before them",
           content_.size(), "fetch it again: it was cut off, or its header is damaged");
    }
    columns_at_ = header_bytes + rows * integer_bytes;
    values_at_ = columns_at_ + count * integer_bytes;
    const std::uint64_t left = content_.size() - values_at_;
    refuse_vector(count, left);
    scalar_ = options_.petsc_scalar == PetscScalar::detect && count > 0 ? detect(count, left)
                                                                        : options_.petsc_scalar;
    const std::uint64_t needed = count * scalar_bytes(scalar_);
    if (left < needed) {
      fail("the file ends inside its values", content_.size(),
           "fetch it again, or name its numbers in ReadOptions::petsc_scalar");
    }
    if (left > needed) {
      fail(std::to_string(left - needed) + " bytes follow the matrix", values_at_ + needed,
           "give a file of one matrix alone; name its numbers in ReadOptions::petsc_scalar if "
           "they are neither float64 nor complex128");
    }
    const bool complex = scalar_ == PetscScalar::complex64 || scalar_ == PetscScalar::complex128;
    if (complex && !is_complex<S>) {
      fail("a complex matrix cannot become a real one", values_at_,
           "read it with a complex scalar type");
    }
  }

  /// Throws Error if a vector follows the matrix, which might pass for longer numbers. Its first
  /// word is searched for after numbers of each width that the matrix may have.
  void refuse_vector(std::uint64_t count, std::uint64_t left) const {
    for (const std::uint64_t bytes : {4, 8, 16}) {
      const std::uint64_t matrix = count * bytes;
      if (left < integer_bytes || matrix > left - integer_bytes) return;
      if (integer(values_at_ + matrix) == petsc_vector_id) {
        fail("a vector follows the matrix", values_at_ + matrix,
             "write the vector to a file of its own");
      }
    }
  }

  /// The type of `count` numbers in `left` bytes. A file that was cut off looks like one of shorter
  /// numbers, so only PETSc's two standard types are detected: float64 for a real scalar,
  /// complex128 for a complex one.
  PetscScalar detect(std::uint64_t count, std::uint64_t left) const {
    if (left == count * 16) return PetscScalar::complex128;
    if (left == count * 4 || (left == count * 8 && is_complex<S>)) {
      const std::string readings = left == count * 4
                                       ? "float32, or a file of longer numbers that was cut off"
                                       : "float64 or complex64, or complex128 that was cut off";
      fail("the numbers have " + std::to_string(left / count) + " bytes each: " + readings,
           values_at_, "name what they are in ReadOptions::petsc_scalar, or fetch the file again");
    }
    return is_complex<S> ? PetscScalar::complex128 : PetscScalar::float64;
  }

  PetscScalar smallest_scalar() const {
    return options_.petsc_scalar == PetscScalar::detect ? PetscScalar::float32
                                                        : options_.petsc_scalar;
  }

  void check_row_lengths() const {
    std::int64_t left = nonzeros_;
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::size_t at = header_bytes + static_cast<std::size_t>(row) * integer_bytes;
      const std::int64_t length = integer(at);
      if (length < 0 || length > left) {
        fail("a row has " + std::to_string(length) + " entries, with " + std::to_string(left) +
                 " of " + std::to_string(nonzeros_) + " nonzeros left",
             at, "fetch the damaged file again", row);
      }
      left -= length;
    }
    if (left > 0) {
      fail("the rows have " + std::to_string(nonzeros_ - left) +
               " entries, and the header announces " + std::to_string(nonzeros_),
           3 * integer_bytes, "fetch the damaged file again");
    }
  }

  void fill_pattern(const Storage& matrix) const {
    const auto row_ptr = matrix.row_ptr();
    row_ptr(0) = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); ++row) {
      row_ptr(row + 1) =
          row_ptr(row) + static_cast<Off>(integer(header_bytes + row * integer_bytes));
    }
    for_each_range(threads_, static_cast<std::size_t>(nonzeros_), grain, [&](auto begin, auto end) {
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t at = columns_at_ + k * integer_bytes;
        const std::int64_t column = integer(at);
        if (column < 0 || column >= columns_) {
          const Off* const first = row_ptr.data();
          const Off* const after = std::upper_bound(first, first + rows_ + 1, static_cast<Off>(k));
          fail(columns_ == 0 ? "there are entries, but no columns"
                             : "column " + std::to_string(column) +
                                   " is not among the columns 0 to " + std::to_string(columns_ - 1),
               at, "fetch the damaged file again", after - first - 1);
        }
        matrix.col_idx()(k) = static_cast<O>(column);
      }
    });
  }

  template <class Bits, class Real, bool complex>
  void fill_values(const Storage& matrix) const {
    for_each_range(threads_, static_cast<std::size_t>(nonzeros_), grain, [&](auto begin, auto end) {
      for (std::size_t k = begin; k < end; ++k) {
        if constexpr (complex && is_complex<S>) {
          const std::size_t at = values_at_ + 2 * k * sizeof(Bits);
          matrix.values()(k) = S(real<Bits, Real>(at), real<Bits, Real>(at + sizeof(Bits)));
        } else {
          matrix.values()(k) = S(real<Bits, Real>(values_at_ + k * sizeof(Bits)));
        }
      }
    });
  }

  template <class Bits, class Real>
  RealOf<S> real(std::size_t at) const {
    using Target = RealOf<S>;
    const Real value = std::bit_cast<Real>(from_big_endian<Bits>(content_.data() + at));
    if constexpr (sizeof(Real) > sizeof(Target)) {
      constexpr Real largest = std::numeric_limits<Target>::max();
      const bool finite = value - value == Real(0);
      if (finite && (value > largest || value < -largest)) {
        char text[32] = {};
        std::to_chars(text, text + sizeof text - 1, value);
        fail("the number " + std::string(text) + " does not fit into float", at,
             "read the matrix with double");
      }
    }
    return static_cast<Target>(value);
  }

  static constexpr std::size_t grain = std::size_t{1} << 16;

  std::string_view content_;
  const ReadOptions& options_;
  const std::string& name_;
  int threads_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t nonzeros_ = 0;
  std::size_t columns_at_ = 0;
  std::size_t values_at_ = 0;
  PetscScalar scalar_ = PetscScalar::detect;
};

}  // namespace heddle::files

namespace heddle {

/// Reads the content of a PETSc binary file from memory; see read_petsc. Errors name it `name`.
template <Scalar S = double, Ordinal O = int, Offset Off = int>
CsrStorage<S, O, Off, Kokkos::HostSpace> parse_petsc(std::string_view content,
                                                     const std::string& name = "<memory>",
                                                     const ReadOptions& options = {}) {
  try {
    switch (files::petsc_integer_bytes(content)) {
      case 4: return files::PetscReader<std::int32_t, S, O, Off>(content, options, name).read();
      case 8: return files::PetscReader<std::int64_t, S, O, Off>(content, options, name).read();
    }
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(name);
  }
  throw Error("this is not a matrix in PETSc's binary form", Where{.file = name},
              "give a file that starts with 1211216, big-endian");
}

/// Reads a matrix in PETSc's binary format (MatView to a binary viewer), plain or compressed with
/// gzip or xz, into host memory.
///
/// The first bytes show whether integers have 32 or 64 bits. Numbers are assumed to be float64 for
/// a real scalar and complex128 for a complex one, if the length of the file agrees; name others in
/// the options (see docs/files.md). Columns ascend in each row. Kokkos must be initialized.
///
/// Throws Error with the row or the byte offset of any fault: a file too short or too long, sizes
/// or row lengths that are negative or inconsistent, columns out of range, repeated entries, a
/// complex matrix for a real scalar, a matrix too large for the ordinal, the offset or the memory.
/// Temporary memory, besides the matrix: the content of the file.
template <Scalar S = double, Ordinal O = int, Offset Off = int>
CsrStorage<S, O, Off, Kokkos::HostSpace> read_petsc(const std::string& path,
                                                    const ReadOptions& options = {}) {
  try {
    const files::Bytes content = files::load(path, options);
    return parse_petsc<S, O, Off>(content.view(), path, options);
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(path);
  }
}

/// Writes a host matrix in PETSc's binary format: numbers as float64, complex ones as pairs; rows
/// and entries keep their order. A file whose name ends in .gz or .xz is compressed.
///
/// Throws Error if a size does not fit in the chosen integers or, naming the row, if row_ptr
/// decreases or a column is out of range, before anything is written; and if the file cannot be
/// written. An existing file stays unchanged until the new one is complete; for links and devices
/// see docs/files.md.
template <Scalar S, Ordinal O, Offset Off, files::HostReadable Space>
void write_petsc(const std::string& path, const CsrMatrix<S, O, Off, Space>& matrix,
                 const PetscWriteOptions& options = {}) {
  const auto rows = static_cast<std::int64_t>(matrix.rows());
  const auto columns = static_cast<std::int64_t>(matrix.columns());
  const auto nonzeros = static_cast<std::int64_t>(matrix.nonzeros());
  const std::size_t integer_bytes = options.indices_64 ? 8 : 4;
  if (!options.indices_64 &&
      std::max({rows, columns, nonzeros}) > std::numeric_limits<std::int32_t>::max()) {
    throw Error("the matrix does not fit into integers of 32 bits", Where{.file = path},
                "write it with PetscWriteOptions::indices_64");
  }
  files::check_csr(matrix, path, files::thread_count(options.threads));
  auto put_integer = [&](char* to, std::int64_t value) {
    return options.indices_64 ? files::to_big_endian(to, value)
                              : files::to_big_endian(to, static_cast<std::int32_t>(value));
  };
  // A piece is the header, or a run of row lengths, of columns or of values.
  constexpr std::int64_t run = std::int64_t{1} << 18;
  const std::int64_t row_pieces = ceil_div(rows, run), entry_pieces = ceil_div(nonzeros, run);
  const auto pieces = static_cast<std::size_t>(1 + row_pieces + 2 * entry_pieces);
  auto run_of = [&](std::int64_t piece, std::int64_t count, std::size_t bytes, auto&& put) {
    const std::int64_t begin = piece * run, end = std::min(count, begin + run);
    std::string text(static_cast<std::size_t>(end - begin) * bytes, '\0');
    char* to = text.data();
    for (std::int64_t i = begin; i < end; ++i) to = put(to, i);
    return text;
  };
  auto make = [&](std::size_t index) -> std::string {
    auto piece = static_cast<std::int64_t>(index);
    if (piece == 0) {
      std::string header(4 * integer_bytes, '\0');
      char* to = header.data();
      for (std::int64_t value : {files::petsc_matrix_id, rows, columns, nonzeros}) {
        to = put_integer(to, value);
      }
      return header;
    }
    piece -= 1;
    if (piece < row_pieces) {
      return run_of(piece, rows, integer_bytes, [&](char* to, std::int64_t row) {
        return put_integer(
            to, static_cast<std::int64_t>(matrix.row_ptr()(row + 1) - matrix.row_ptr()(row)));
      });
    }
    piece -= row_pieces;
    if (piece < entry_pieces) {
      return run_of(piece, nonzeros, integer_bytes, [&](char* to, std::int64_t k) {
        return put_integer(to, static_cast<std::int64_t>(matrix.col_idx()(k)));
      });
    }
    piece -= entry_pieces;
    auto put_real = [](char* to, double value) {
      return files::to_big_endian(to, std::bit_cast<std::uint64_t>(value));
    };
    constexpr std::size_t value_bytes = is_complex<S> ? 16 : 8;
    return run_of(piece, nonzeros, value_bytes, [&](char* to, std::int64_t k) {
      const S value = matrix.values()(k);
      if constexpr (is_complex<S>) {
        return put_real(put_real(to, value.real()), value.imag());
      } else {
        return put_real(to, value);
      }
    });
  };
  try {
    files::write_pieces(path, files::thread_count(options.threads), pieces, make);
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(path, "write");
  }
}

}  // namespace heddle
