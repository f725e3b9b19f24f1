// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace heddle::files {

/// The number every matrix in PETSc's binary form starts with.
inline constexpr std::int64_t petsc_matrix_id = 1211216;
/// And every vector.
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

/// Bytes of an integer in a PETSc file: 4 or 8, or 0 where the content is not a PETSc matrix.
inline int petsc_integer_bytes(std::string_view content) {
  if (content.size() >= 4 && from_big_endian<std::int32_t>(content.data()) == petsc_matrix_id) {
    return 4;
  }
  if (content.size() >= 8 && from_big_endian<std::int64_t>(content.data()) == petsc_matrix_id) {
    return 8;
  }
  return 0;
}

}  // namespace heddle::files
