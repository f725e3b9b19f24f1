// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>

#include "../error.hpp"

namespace heddle {

/// How a reader treats an entry that occurs twice in a file.
enum class Duplicates { error, add };

/// The type of numbers in a PETSc file, which the file does not state. complex64 is a pair of
/// float32.
enum class PetscScalar { detect, float32, float64, complex64, complex128 };

/// Options of readers of matrix files; the defaults suit a well-formed file.
struct ReadOptions {
  /// Threads that parse; 0: one for each core.
  int threads = 0;
  /// With `add`, repeated entries become their sum. They are added in the order of their bits, so
  /// the result does not depend on the number of threads.
  Duplicates duplicates = Duplicates::error;
  /// Matrix Market's array format lists every entry of a dense matrix. All are stored unless this
  /// option leaves out those that are zero.
  bool drop_array_zeros = false;
  /// Limit in bytes on each of three sizes: the file, its unpacked content, and the arrays of the
  /// matrix. A larger one is refused before it is allocated. 0: the memory of the machine.
  std::uint64_t max_bytes = 0;
  /// Read by read_petsc only. `detect` assumes float64 for a real scalar and complex128 for a
  /// complex one, and refuses a file whose length contradicts that.
  PetscScalar petsc_scalar = PetscScalar::detect;
};
/// Options of read_matrix_market.
using MatrixMarketOptions = ReadOptions;
/// Options of read_petsc.
using PetscOptions = ReadOptions;

/// The second word of a Matrix Market header: a list of entries, or all entries of a dense matrix.
enum class MatrixMarketFormat { coordinate, array };
/// The third word of the header: the type of an entry.
enum class MatrixMarketField { real, integer, complex, pattern, unsigned_integer };
/// The fourth word of the header: how the entries of one triangle determine the other.
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric, hermitian };

/// Options of write_matrix_market. A file name that ends in .gz or .xz is written compressed.
struct MatrixMarketWriteOptions {
  /// If not general, writes the lower triangle only, after a check that every entry equals its
  /// mirror image. Zeros of either sign are equal, and so are all NaNs.
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  /// Writes the positions of the entries without their values.
  bool pattern = false;
  /// Comment below the header; each of its lines is written after a %.
  std::string comment = {};
  /// Threads that format and compress; 0: one for each core.
  int threads = 0;
};

/// Options of write_petsc. A file name that ends in .gz or .xz is written compressed.
struct PetscWriteOptions {
  /// Writes integers of 64 bits, for a PETSc that was configured with --with-64-bit-indices.
  bool indices_64 = false;
  /// Threads that compress; 0: one for each core.
  int threads = 0;
};

}  // namespace heddle

namespace heddle::files {

/// Bytes of memory of this machine; the largest number if the system does not say.
inline std::uint64_t machine_memory_bytes() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
#endif
  return std::numeric_limits<std::uint64_t>::max();
}

inline std::uint64_t byte_limit(const ReadOptions& options) {
  return options.max_bytes > 0 ? options.max_bytes : machine_memory_bytes();
}

inline Error error_beyond_limit(const std::string& what, const ReadOptions& options,
                                const Where& where) {
  return Error(what + " needs more than " + std::to_string(byte_limit(options)) + " bytes", where,
               options.max_bytes > 0 ? "raise ReadOptions::max_bytes"
                                     : "read it on a machine with more memory");
}

inline Error out_of_memory(const std::string& name, const std::string& doing = "read") {
  return Error("there is not enough memory to " + doing + " the matrix", Where{.file = name},
               doing + " it on a machine with more memory");
}

}  // namespace heddle::files
