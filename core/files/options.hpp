// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// What a reader does with an entry that a file gives twice.
enum class Duplicates { error, add };

/// The numbers in a PETSc file, which does not say itself: complex64 is a pair of float32.
enum class PetscScalar { detect, float32, float64, complex64, complex128 };

/// How a matrix file is read; the defaults suit a well-formed file.
struct ReadOptions {
  /// Threads that parse; 0 takes one for each core.
  int threads = 0;
  /// With `add`, repeated entries become their sum. They are added in the order of their bits, so
  /// the result does not depend on the number of threads.
  Duplicates duplicates = Duplicates::error;
  /// Matrix Market's array format lists every entry of a dense matrix. All of them are stored,
  /// unless this asks for those that equal zero to be left out.
  bool drop_array_zeros = false;
  /// Bounds three things, each by itself: the bytes of the file, of its content as it is unpacked,
  /// and of the matrix's arrays. What takes more is refused before the memory is taken. 0 takes the
  /// memory of the machine.
  std::uint64_t max_bytes = 0;
  /// Read by read_petsc alone. `detect` takes float64 into a real scalar and complex128 into a
  /// complex one, and refuses a file whose length says otherwise.
  PetscScalar petsc_scalar = PetscScalar::detect;
};
/// How read_matrix_market reads.
using MatrixMarketOptions = ReadOptions;
/// How read_petsc reads.
using PetscOptions = ReadOptions;

/// The second word of a Matrix Market header: entries, or every place of a dense matrix.
enum class MatrixMarketFormat { coordinate, array };
/// The third word: what an entry is.
enum class MatrixMarketField { real, integer, complex, pattern, unsigned_integer };
/// The fourth word: what the entries of one triangle say of the other.
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric, hermitian };

/// How write_matrix_market writes. A file name that ends in .gz or .xz is written compressed.
struct MatrixMarketWriteOptions {
  /// Anything but general writes the lower triangle alone, after it was verified that every entry
  /// equals its mirror. Zeros of either sign are equal, and so are all NaNs.
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  /// Writes where the entries are and leaves out their values.
  bool pattern = false;
  /// Written under the header, each line after a %.
  std::string comment = {};
  /// Threads that format and compress; 0 takes one for each core.
  int threads = 0;
};

/// How write_petsc writes. A file name that ends in .gz or .xz is written compressed.
struct PetscWriteOptions {
  /// Writes integers of 64 bits, for a PETSc that was configured with --with-64-bit-indices.
  bool indices_64 = false;
  /// Threads that compress; 0 takes one for each core.
  int threads = 0;
};

}  // namespace heddle
