// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "csr_build.hpp"
#include "csr_check.hpp"
#include "matrix_market_header.hpp"
#include "write_pieces.hpp"

namespace heddle::files {

/// Formats a matrix as Matrix Market, in runs of as many entries each.
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

  /// Every entry needs its mirror: looks each one up in a copy whose rows are sorted.
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
      fail("column " + std::to_string(twice->column) + " is there twice",
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

  /// Entries of one piece of the file. A row may be longer.
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
/// unless the options name a symmetry, which is then checked. A name that ends in .gz or .xz is
/// written compressed.
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
