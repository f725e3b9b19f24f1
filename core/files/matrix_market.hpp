// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "csr_build.hpp"
#include "matrix_market_header.hpp"
#include "output_file.hpp"

namespace heddle::files {

/// Parses the entries of a Matrix Market text, in pieces that end at line ends, and makes CSR from
/// them. Faults carry a place in the text; the first one in the file is reported.
template <Scalar S, Ordinal O, Offset Off>
class MatrixMarketReader {
 public:
  using Storage = HostStorage<S, O, Off>;
  using Field = MatrixMarketField;
  using Symmetry = MatrixMarketSymmetry;

  MatrixMarketReader(std::string_view text, const ReadOptions& options, const std::string& name)
      : text_(text), options_(options), name_(name), threads_(thread_count(options.threads)) {}

  Storage read() {
    body_ = parse_header(text_, header_);
    if (header_.field == Field::complex && !is_complex<S>) {
      throw Fault{text_.data(), "a complex matrix cannot become a real one",
                  "read it with a complex scalar type"};
    }
    check_sizes<S, O, Off>(header_.rows, header_.columns, 0, options_, size_line());
    split();
    parse_pieces();
    check_count();
    if (header_.format == MatrixMarketFormat::array) place_array();
    std::size_t mirrors = 0;
    if (header_.symmetry != Symmetry::general) {
      for (const auto& piece : pieces_) mirrors += piece.off_diagonal;
    }
    check_sizes<S, O, Off>(header_.rows, header_.columns,
                           header_.entries + static_cast<std::int64_t>(mirrors), options_,
                           size_line());
    std::optional<Duplicate> duplicate;
    Storage matrix = build_csr<S, O, Off>(header_.rows, header_.columns, header_.symmetry, pieces_,
                                          threads_, duplicate);
    if (!duplicate) return matrix;
    if (options_.duplicates == Duplicates::error) fault_duplicate(*duplicate);
    return add_duplicates<S, O, Off>(matrix);
  }

 private:
  Where size_line() const {
    const auto offset = static_cast<std::size_t>(body_ - text_.data());
    const bool has_line_end = offset > 0 && text_[offset - 1] == '\n';
    return Where{.file = name_, .line = line_at(text_, offset) - (has_line_end ? 1 : 0)};
  }
  const char* text_end() const { return text_.data() + text_.size(); }

  /// Cuts the text into pieces that end at line ends, several for each thread.
  void split() {
    constexpr std::size_t smallest_bytes = std::size_t{1} << 16;
    const auto bytes = static_cast<std::size_t>(text_end() - body_);
    const std::size_t most = threads_ > 1 ? static_cast<std::size_t>(threads_) * 8 : 1;
    const std::size_t count = std::clamp(bytes / smallest_bytes, std::size_t{1}, most);
    cuts_.push_back(body_);
    for (std::size_t i = 1; i < count; ++i) {
      const char* const from = std::max(cuts_.back(), body_ + bytes / count * i);
      const char* const line_end = std::find(from, text_end(), '\n');
      if (line_end == text_end()) break;
      cuts_.push_back(line_end + 1);
    }
    cuts_.push_back(text_end());
    pieces_.resize(cuts_.size() - 1);
  }

  void parse_pieces() {
    for_each_index(threads_, pieces_.size(), [&](std::size_t p) {
      switch (header_.field) {
        case Field::real: return parse_piece<Field::real>(p);
        case Field::integer: return parse_piece<Field::integer>(p);
        case Field::complex: return parse_piece<Field::complex>(p);
        case Field::pattern: return parse_piece<Field::pattern>(p);
        case Field::unsigned_integer: return parse_piece<Field::unsigned_integer>(p);
      }
    });
  }

  template <Field field>
  void parse_piece(std::size_t p) {
    const char* at = cuts_[p];
    const char* const end = cuts_[p + 1];
    const bool coordinate = header_.format == MatrixMarketFormat::coordinate;
    Entries<S, O>& piece = pieces_[p];
    const auto lines = static_cast<std::size_t>(std::count(at, end, '\n')) + 1;
    piece.allocate(lines, field != Field::pattern);
    for (; next_entry(at, end); ++piece.count) {
      const std::size_t i = piece.count;
      if (coordinate) parse_position(at, end, piece, i);
      if constexpr (field != Field::pattern) {
        piece.values[i] = parse_value<field>(at, end);
        if (coordinate && field == Field::complex) check_diagonal(at, piece, i);
      }
      at = skip_blanks(at, end);
      if (!at_line_end(at, end)) {
        throw Fault{at, "'" + printable(token_at(at, end)) + "' follows a complete entry",
                    "write one entry a line"};
      }
    }
  }

  /// Moves to the next line that is neither blank nor a comment; false at the end.
  static bool next_entry(const char*& at, const char* end) {
    while (true) {
      at = skip_blanks(at, end);
      if (at == end) return false;
      if (*at == '%') {
        at = std::find(at, end, '\n');
      } else if (*at == '\n') {
        ++at;
      } else {
        return true;
      }
    }
  }

  void parse_position(const char*& at, const char* end, Entries<S, O>& piece, std::size_t i) const {
    const char* const start = at;
    const O row = parse_index(at, end, header_.rows, "row");
    at = skip_blanks(at, end);
    const O column = parse_index(at, end, header_.columns, "column");
    piece.rows[i] = row;
    piece.columns[i] = column;
    piece.off_diagonal += row != column;
    if (header_.symmetry != Symmetry::general) check_triangle(start, row, column);
  }

  static O parse_index(const char*& at, const char* end, std::int64_t size, const char* kind) {
    const char* const start = at;
    const std::int64_t index = parse_integer(at, end, kind);
    if (index < 1 || index > size) [[unlikely]]
      fault_in_index(start, index, size, kind);
    return static_cast<O>(index - 1);
  }

  [[noreturn]] static void fault_in_index(const char* at, std::int64_t index, std::int64_t size,
                                          const std::string& kind) {
    throw Fault{at,
                size == 0 ? "there are entries, but no " + kind + "s"
                          : kind + " " + std::to_string(index) + " is not among the " + kind +
                                "s 1 to " + std::to_string(size),
                index == 0 ? "add 1 to every row and column: Matrix Market counts from 1"
                           : "correct the line or the sizes at the top"};
  }

  void check_triangle(const char* at, O row, O column) const {
    const bool on_diagonal = row == column && header_.symmetry == Symmetry::skew_symmetric;
    if (row > column || (row == column && !on_diagonal)) return;
    const std::string kind = heddle::name(header_.symmetry);
    if (on_diagonal) {
      throw Fault{at, "an entry is on the diagonal of a matrix declared " + kind,
                  "leave it out, as it is zero, or declare the matrix general"};
    }
    throw Fault{at, "an entry is above the diagonal of a matrix declared " + kind,
                "list the lower triangle, or declare the matrix general"};
  }

  void check_diagonal(const char* at, const Entries<S, O>& piece, std::size_t i) const {
    if (header_.symmetry != Symmetry::hermitian || piece.rows[i] != piece.columns[i]) return;
    if constexpr (is_complex<S>) {
      if (piece.values[i].imag() == 0) return;
      throw Fault{at, "the diagonal of a hermitian matrix is real, and this entry is not",
                  "correct the line, or declare the matrix general"};
    }
  }

  template <Field field>
  static S parse_value(const char*& at, const char* end) {
    using Real = RealOf<S>;
    at = skip_blanks(at, end);
    if constexpr (field == Field::unsigned_integer) {
      if (at != end && *at == '-') fault_in_number(at, end, "whole number without a sign");
    }
    if constexpr (field == Field::integer || field == Field::unsigned_integer) {
      return S(parse_whole<Real>(at, end));
    }
    const Real real = parse_real<Real>(at, end);
    if constexpr (field == Field::complex && is_complex<S>) {
      at = skip_blanks(at, end);
      return S(real, parse_real<Real>(at, end));
    }
    return S(real);
  }

  /// Throws Fault unless there are as many entries as the header says. Nothing is ever allocated
  /// for entries that the text does not have, whatever its header says.
  void check_count() const {
    check_array_diagonal();
    std::int64_t found = 0;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const auto here = static_cast<std::int64_t>(pieces_[p].count);
      if (found + here > header_.entries) {
        throw Fault{entry_in_text(p, static_cast<std::size_t>(header_.entries - found)),
                    "the sizes call for " + std::to_string(header_.entries) +
                        " entries and this is one more",
                    "correct the sizes at the top, or remove the rest"};
      }
      found += here;
    }
    if (found < header_.entries) {
      throw Fault{text_end(),
                  "the text ends after " + std::to_string(found) + " of " +
                      std::to_string(header_.entries) + " entries",
                  "fetch it again: it was cut off, or its sizes are wrong"};
    }
  }

  /// Throws Fault if the array of a skew-symmetric matrix lists the diagonal too.
  void check_array_diagonal() const {
    const std::int64_t n = header_.rows;
    const bool skew = header_.symmetry == Symmetry::skew_symmetric;
    if (header_.format != MatrixMarketFormat::array || !skew || n == 0) return;
    std::int64_t found = 0;
    for (const auto& piece : pieces_) found += static_cast<std::int64_t>(piece.count);
    if (found != header_.entries + n) return;
    throw Fault{entry_in_text(0, 0),
                "the array lists " + std::to_string(found) +
                    " numbers, which are those below the diagonal and the diagonal of a matrix "
                    "declared skew-symmetric",
                "leave out the " + std::to_string(n) + " numbers of its zero diagonal"};
  }

  /// The start of entry `i` of piece `p` in the text.
  const char* entry_in_text(std::size_t p, std::size_t i) const {
    const char* at = cuts_[p];
    const char* const end = cuts_[p + 1];
    for (; next_entry(at, end) && i > 0; --i) at = std::find(at, end, '\n');
    return at;
  }

  /// Sets rows and columns for the values of an array, which are listed column by column.
  void place_array() {
    std::vector<std::int64_t> first(pieces_.size(), 0);
    for (std::size_t p = 1; p < pieces_.size(); ++p) {
      first[p] = first[p - 1] + static_cast<std::int64_t>(pieces_[p - 1].count);
    }
    for_each_index(threads_, pieces_.size(),
                   [&](std::size_t p) { place_array_piece(pieces_[p], first[p], p); });
    header_.entries = 0;
    for (const auto& piece : pieces_) header_.entries += static_cast<std::int64_t>(piece.count);
  }

  void place_array_piece(Entries<S, O>& piece, std::int64_t first, std::size_t p) {
    const std::int64_t rows = header_.rows;
    const bool whole = header_.symmetry == Symmetry::general;
    const std::int64_t skip = header_.symmetry == Symmetry::skew_symmetric ? 1 : 0;
    // A triangle lists the rows of column j from j, or j + 1, to the last.
    auto first_row = [&](std::int64_t column) { return whole ? 0 : column + skip; };
    std::int64_t column = 0;
    if (whole) {
      column = rows > 0 ? first / rows : 0;
      first -= column * rows;
    } else {
      while (column < rows && first >= rows - first_row(column)) {
        first -= rows - first_row(column++);
      }
    }
    std::int64_t row = first_row(column) + first;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < piece.count; ++i, ++row) {
      while (row >= rows) row = first_row(++column);
      piece.rows[kept] = static_cast<O>(row);
      piece.columns[kept] = static_cast<O>(column);
      piece.values[kept] = piece.values[i];
      if constexpr (is_complex<S>) {
        if (row == column && header_.symmetry == Symmetry::hermitian &&
            piece.values[i].imag() != 0) {
          check_diagonal(entry_in_text(p, i), piece, kept);
        }
      }
      if (options_.drop_array_zeros && piece.values[i] == S(0)) continue;
      piece.off_diagonal += row != column;
      ++kept;
    }
    piece.count = kept;
  }

  [[noreturn]] void fault_duplicate(const Duplicate& duplicate) const {
    const auto high = static_cast<O>(std::max(duplicate.row, duplicate.column));
    const auto low = static_cast<O>(std::min(duplicate.row, duplicate.column));
    const bool general = header_.symmetry == Symmetry::general;
    const O row = general ? static_cast<O>(duplicate.row) : high;
    const O column = general ? static_cast<O>(duplicate.column) : low;
    const char* before = nullptr;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const Entries<S, O>& piece = pieces_[p];
      for (std::size_t i = 0; i < piece.count; ++i) {
        if (piece.rows[i] != row || piece.columns[i] != column) continue;
        const char* const here = entry_in_text(p, i);
        if (before) {
          const auto offset = static_cast<std::size_t>(before - text_.data());
          throw Fault{here,
                      "row " + std::to_string(row + std::int64_t{1}) + ", column " +
                          std::to_string(column + std::int64_t{1}) + " was given before, on line " +
                          std::to_string(line_at(text_, offset)),
                      "remove one of them, or add repeated entries up with Duplicates::add"};
        }
        before = here;
      }
    }
    throw Fault{text_end(), "an entry occurs twice", "add them up with Duplicates::add"};
  }

  std::string_view text_;
  const ReadOptions& options_;
  const std::string& name_;
  int threads_;
  MatrixMarketHeader header_ = {};
  const char* body_ = nullptr;
  std::vector<const char*> cuts_ = {};
  std::vector<Entries<S, O>> pieces_ = {};
};

}  // namespace heddle::files

namespace heddle {

/// Reads a Matrix Market text from memory; see read_matrix_market. Errors name it `name`.
template <Scalar S = double, Ordinal O = int, Offset Off = int>
CsrStorage<S, O, Off, Kokkos::HostSpace> parse_matrix_market(std::string_view text,
                                                             const std::string& name = "<memory>",
                                                             const ReadOptions& options = {}) {
  try {
    return files::MatrixMarketReader<S, O, Off>(text, options, name).read();
  } catch (const files::Fault& fault) {
    throw files::error_at(text, name, fault);
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(name);
  }
}

/// Reads a Matrix Market file, plain or compressed with gzip or xz, into host memory.
///
/// Reads coordinate and array files; real, integer, unsigned-integer, complex and pattern (every
/// entry 1). A symmetric, skew-symmetric or hermitian matrix is returned whole. Columns ascend in
/// each row. Numbers are rounded correctly; nan and inf are numbers; numbers too small for the
/// scalar become zero. The result does not depend on the number of threads. Kokkos must be
/// initialized.
///
/// Throws Error with the file and line of any fault: not a Matrix Market file, a complex matrix for
/// a real scalar, fewer or more entries than announced, indices or numbers that are malformed or
/// out of range, repeated entries, entries in the triangle that the symmetry implies, a matrix too
/// large for the ordinal, the offset or the memory. Temporary memory, besides the matrix: the text
/// and its entries as triples.
///
/// Format: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats, NISTIR 5935 (1996).
template <Scalar S = double, Ordinal O = int, Offset Off = int>
CsrStorage<S, O, Off, Kokkos::HostSpace> read_matrix_market(const std::string& path,
                                                            const ReadOptions& options = {}) {
  try {
    const files::Bytes text = files::load(path, options);
    return parse_matrix_market<S, O, Off>(text.view(), path, options);
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(path);
  }
}

}  // namespace heddle

namespace heddle::files {

/// Formats a matrix as Matrix Market, in runs of equally many entries.
template <class Matrix>
class MatrixMarketWriter {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  MatrixMarketWriter(const std::string& path, const Matrix& matrix,
                     const MatrixMarketWriteOptions& options)
      : path_(path), matrix_(matrix), options_(options), threads_(thread_count(options.threads)) {}

  void write() {
    check_options();
    check_csr(matrix_, path_, threads_);
    verify_symmetry();
    const auto entries = static_cast<std::size_t>(matrix_.nonzeros());
    const std::size_t run = run_entries();
    write_pieces(path_, threads_, 1 + ceil_div(entries, run), [&](std::size_t piece) {
      return piece == 0 ? header() : format_run((piece - 1) * run, std::min(entries, piece * run));
    });
  }

 private:
  bool whole() const { return options_.symmetry == MatrixMarketSymmetry::general; }

  /// Whether an entry is written, rather than implied by the symmetry.
  bool listed(O row, O column) const {
    const bool skew = options_.symmetry == MatrixMarketSymmetry::skew_symmetric;
    return whole() || column < row || (column == row && !skew);
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy,
                         std::int64_t row = -1) const {
    throw Error(problem, Where{.file = path_, .row = row}, remedy);
  }

  void check_options() const {
    const std::string symmetry = heddle::name(options_.symmetry);
    if (whole()) return;
    if (matrix_.rows() != matrix_.columns()) {
      fail("a matrix of " + std::to_string(matrix_.rows()) + " x " +
               std::to_string(matrix_.columns()) + " is not " + symmetry,
           "write it as general");
    }
    if (options_.symmetry == MatrixMarketSymmetry::hermitian && !is_complex<S>) {
      fail("only a complex matrix can be hermitian", "write it as symmetric");
    }
    if (options_.pattern && options_.symmetry != MatrixMarketSymmetry::symmetric) {
      fail("a pattern cannot be " + symmetry, "write it as general or symmetric");
    }
  }

  /// Throws Error unless every entry has its mirror image, found in a copy with sorted rows.
  void verify_symmetry() {
    if (whole()) return;
    const auto rows = static_cast<std::size_t>(matrix_.rows());
    auto sorted = allocate_csr<S, O, Off>(matrix_.rows(), matrix_.columns(),
                                          static_cast<std::int64_t>(matrix_.nonzeros()));
    sorted.row_ptr()(0) = 0;
    for_each_range(threads_, rows, grain, [&](auto begin, auto end) {
      for (std::size_t row = begin; row < end; ++row) {
        sorted.row_ptr()(row + 1) = matrix_.row_ptr()(row + 1);
        for (Off k = matrix_.row_ptr()(row); k < matrix_.row_ptr()(row + 1); ++k) {
          sorted.col_idx()(k) = matrix_.col_idx()(k);
          sorted.values()(k) = options_.pattern ? S(1) : matrix_.values()(k);
        }
      }
    });
    if (const auto twice = sort_rows<S, O, Off>(threads_, sorted)) {
      fail("column " + std::to_string(twice->column) + " occurs twice",
           "add repeated entries up, or write the matrix as general", twice->row);
    }
    for_each_range(threads_, rows, grain, [&](auto begin, auto end) {
      for (std::size_t row = begin; row < end; ++row) {
        for (Off k = sorted.row_ptr()(row); k < sorted.row_ptr()(row + 1); ++k) {
          verify_mirror(sorted, static_cast<O>(row), k);
        }
      }
    });
  }

  void verify_mirror(const HostStorage<S, O, Off>& sorted, O row, Off k) const {
    const O column = sorted.col_idx()(k);
    const O* const first = sorted.col_idx().data() + sorted.row_ptr()(column);
    const O* const last = sorted.col_idx().data() + sorted.row_ptr()(column + 1);
    const O* const found = std::lower_bound(first, last, row);
    if (found != last && *found == row) {
      const S other = sorted.values()(static_cast<std::size_t>(found - sorted.col_idx().data()));
      if (same_value(sorted.values()(k), mirrored(options_.symmetry, other))) {
        if (row != column || may_be_diagonal(other)) return;
      }
    }
    fail("the entry of column " + std::to_string(column) + " has no mirror of a " +
             heddle::name(options_.symmetry) + " matrix",
         "write the matrix as general", row);
  }

  bool may_be_diagonal(const S& value) const {
    if (options_.symmetry == MatrixMarketSymmetry::skew_symmetric) return value == S(0);
    if constexpr (is_complex<S>) {
      return options_.symmetry != MatrixMarketSymmetry::hermitian || value.imag() == 0;
    }
    return true;
  }

  static bool same_value(const S& a, const S& b) {
    if constexpr (is_complex<S>) {
      return same_real(a.real(), b.real()) && same_real(a.imag(), b.imag());
    } else {
      return same_real(a, b);
    }
  }
  template <class Real>
  static bool same_real(Real a, Real b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  }

  /// Number of entries in one piece of the file; a piece may end inside a row.
  std::size_t run_entries() const {
    const bool plain = compression_by_name(path_) == Compression::none;
    return std::size_t{1} << (plain ? 16 : 18);
  }

  std::string header() const {
    std::size_t entries = static_cast<std::size_t>(matrix_.nonzeros());
    if (!whole()) {
      entries = 0;
      for (O row = 0; row < matrix_.rows(); ++row) {
        for (Off k = matrix_.row_ptr()(row); k < matrix_.row_ptr()(row + 1); ++k) {
          entries += listed(row, matrix_.col_idx()(k));
        }
      }
    }
    const char* field = options_.pattern ? "pattern" : is_complex<S> ? "complex" : "real";
    std::string text = std::string("%%MatrixMarket matrix coordinate ") + field + " " +
                       heddle::name(options_.symmetry) + "\n";
    for (std::size_t at = 0; at < options_.comment.size();) {
      const std::size_t end = std::min(options_.comment.find('\n', at), options_.comment.size());
      text += "%" + options_.comment.substr(at, end - at) + "\n";
      at = end + 1;
    }
    return text + std::to_string(matrix_.rows()) + " " + std::to_string(matrix_.columns()) + " " +
           std::to_string(entries) + "\n";
  }

  std::string format_run(std::size_t begin, std::size_t end) const {
    constexpr std::size_t longest_index = 20, longest_number = 25;
    constexpr std::size_t longest_line = 2 * longest_index + 2 * longest_number;
    const Off* const row_ptr = matrix_.row_ptr().data();
    const Off* const after = row_ptr + static_cast<std::size_t>(matrix_.rows()) + 1;
    auto row = std::upper_bound(row_ptr, after, static_cast<Off>(begin)) - row_ptr - 1;
    char row_text[longest_index + 1];
    std::size_t row_length = 0, row_end = begin;
    std::string text((end - begin) * 24 + longest_line, '\0');
    std::size_t used = 0;
    for (std::size_t k = begin; k < end; ++k) {
      if (k == row_end) {
        if (k != begin) ++row;
        while (static_cast<std::size_t>(row_ptr[row + 1]) <= k) ++row;
        row_end = static_cast<std::size_t>(row_ptr[row + 1]);
        char* const stop = std::to_chars(row_text, row_text + longest_index, row + 1).ptr;
        *stop = ' ';
        row_length = static_cast<std::size_t>(stop + 1 - row_text);
      }
      const O column = matrix_.col_idx()(k);
      if (!listed(static_cast<O>(row), column)) continue;
      if (text.size() - used < longest_line) text.resize(text.size() * 2 + longest_line);
      char* to = text.data() + used;
      std::memcpy(to, row_text, row_length);
      to = format_entry(to + row_length, text.data() + text.size(), column, matrix_.values()(k));
      used = static_cast<std::size_t>(to - text.data());
    }
    text.resize(used);
    return text;
  }

  char* format_entry(char* to, char* end, O column, const S& value) const {
    to = std::to_chars(to, end, static_cast<std::int64_t>(column) + 1).ptr;
    if (!options_.pattern) {
      *to++ = ' ';
      if constexpr (is_complex<S>) {
        to = std::to_chars(to, end, value.real()).ptr;
        *to++ = ' ';
        to = std::to_chars(to, end, value.imag()).ptr;
      } else {
        to = std::to_chars(to, end, value).ptr;
      }
    }
    *to++ = '\n';
    return to;
  }

  static constexpr std::size_t grain = 4096;

  const std::string& path_;
  const Matrix& matrix_;
  const MatrixMarketWriteOptions& options_;
  int threads_;
};

}  // namespace heddle::files

namespace heddle {

/// Writes a host matrix as a Matrix Market file: coordinate, real or complex or pattern, general
/// unless the options name a symmetry, which is then checked. A file whose name ends in .gz or .xz
/// is compressed.
///
/// Entries keep their order. Each number is the shortest decimal that reads back as the same bits,
/// and a NaN is nan or -nan. So a general matrix with ascending columns and no repeated entries is
/// read back bit for bit by read_matrix_market, except for the payload of a NaN.
///
/// Throws Error, naming the row, if row_ptr decreases, a column is out of range or the matrix lacks
/// the symmetry, before anything is written; and if the file cannot be written. An existing file
/// stays unchanged until the new one is complete; for links and devices see docs/files.md.
template <Scalar S, Ordinal O, Offset Off, files::HostReadable Space>
void write_matrix_market(const std::string& path, const CsrMatrix<S, O, Off, Space>& matrix,
                         const MatrixMarketWriteOptions& options = {}) {
  try {
    files::MatrixMarketWriter<CsrMatrix<S, O, Off, Space>>(path, matrix, options).write();
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(path, "write");
  }
}

}  // namespace heddle
