// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>

#include "csr_check.hpp"
#include "limits.hpp"
#include "petsc_integers.hpp"
#include "write_pieces.hpp"

namespace heddle {

/// Writes a host matrix in PETSc's binary form: numbers as float64, complex ones as pairs; rows and
/// entries keep their order. A name that ends in .gz or .xz is written compressed.
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
