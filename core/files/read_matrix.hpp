// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix_market.hpp"
#include "petsc_binary.hpp"

namespace heddle {

/// Reads the content of a matrix file from memory; see read_matrix.
template <Scalar S = double, Ordinal O = int, Offset Off = int>
CsrStorage<S, O, Off, Kokkos::HostSpace> parse_matrix(std::string_view content,
                                                      const std::string& name = "<memory>",
                                                      const ReadOptions& options = {}) {
  if (files::is_matrix_market(content) || files::has_byte_order_mark(content))
    return parse_matrix_market<S, O, Off>(content, name, options);
  if (files::petsc_integer_bytes(content) > 0)
    return parse_petsc<S, O, Off>(content, name, options);
  throw Error("this is not a matrix file that Heddle knows", Where{.file = name},
              "give Matrix Market, which starts with %%MatrixMarket, or PETSc binary, which "
              "starts with 1211216 as a big-endian integer; both also as gzip or xz");
}

/// Reads a Matrix Market or a PETSc file, plain or compressed with gzip or xz, into host memory.
/// The content decides which it is, not the file name. See read_matrix_market and read_petsc for
/// the accepted files and the errors.
template <Scalar S = double, Ordinal O = int, Offset Off = int>
CsrStorage<S, O, Off, Kokkos::HostSpace> read_matrix(const std::string& path,
                                                     const ReadOptions& options = {}) {
  try {
    const files::Bytes content = files::load(path, options);
    return parse_matrix<S, O, Off>(content.view(), path, options);
  } catch (const std::bad_alloc&) {
    throw files::out_of_memory(path);
  }
}

}  // namespace heddle
