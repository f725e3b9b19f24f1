// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "../backends/tags.hpp"

/// The compiled part of Heddle: instances that are compiled once, in the library that CMake builds
/// (cmake/HeddleCompiled.cmake) or in one source of yours, so that no other source compiles them.
///
/// Sources that link them define HEDDLE_COMPILED_DOUBLE, _FLOAT, _CDOUBLE, _CFLOAT, one for each
/// scalar in the library; Heddle's CMake targets do so. One source that also defines
/// HEDDLE_IMPLEMENTATION, before it includes Heddle, compiles them all. docs/compile-time.md.
#if defined(HEDDLE_COMPILED_FLOAT) || defined(HEDDLE_COMPILED_DOUBLE) || \
    defined(HEDDLE_COMPILED_CFLOAT) || defined(HEDDLE_COMPILED_CDOUBLE)
#define HEDDLE_COMPILED
#define HEDDLE_IF_COMPILED(...) __VA_ARGS__
#else
#define HEDDLE_IF_COMPILED(...)
#ifdef HEDDLE_IMPLEMENTATION
#error "HEDDLE_IMPLEMENTATION makes nothing unless HEDDLE_COMPILED_DOUBLE or its like is defined"
#endif
#endif

/// HEDDLE_DEFINITIONS: headers define what they declare, including kernels. They do so if there is
/// no compiled part, and in the source that compiles it. A source with types that are not in the
/// compiled part defines HEDDLE_DEFINITIONS itself, before it includes Heddle.
#if !defined(HEDDLE_COMPILED) || defined(HEDDLE_IMPLEMENTATION)
#undef HEDDLE_DEFINITIONS
#define HEDDLE_DEFINITIONS
#endif

#ifdef HEDDLE_IMPLEMENTATION
#define HEDDLE_EXTERN
#else
#define HEDDLE_EXTERN extern
#endif

/// DO(..., SCALAR) for each scalar of the compiled part.
#define HEDDLE_EACH_COMPILED_SCALAR(DO, ...)                           \
  HEDDLE_IF_COMPILED_FLOAT(DO(__VA_ARGS__, float))                     \
  HEDDLE_IF_COMPILED_DOUBLE(DO(__VA_ARGS__, double))                   \
  HEDDLE_IF_COMPILED_CFLOAT(DO(__VA_ARGS__, ::Kokkos::complex<float>)) \
  HEDDLE_IF_COMPILED_CDOUBLE(DO(__VA_ARGS__, ::Kokkos::complex<double>))
#ifdef HEDDLE_COMPILED_FLOAT
#define HEDDLE_IF_COMPILED_FLOAT(...) __VA_ARGS__
#else
#define HEDDLE_IF_COMPILED_FLOAT(...)
#endif
#ifdef HEDDLE_COMPILED_DOUBLE
#define HEDDLE_IF_COMPILED_DOUBLE(...) __VA_ARGS__
#else
#define HEDDLE_IF_COMPILED_DOUBLE(...)
#endif
#ifdef HEDDLE_COMPILED_CFLOAT
#define HEDDLE_IF_COMPILED_CFLOAT(...) __VA_ARGS__
#else
#define HEDDLE_IF_COMPILED_CFLOAT(...)
#endif
#ifdef HEDDLE_COMPILED_CDOUBLE
#define HEDDLE_IF_COMPILED_CDOUBLE(...) __VA_ARGS__
#else
#define HEDDLE_IF_COMPILED_CDOUBLE(...)
#endif

/// Instances of one format for a scalar: compiled here if EXTERN is empty, declared to be compiled
/// elsewhere if it is `extern`. Ordinals have 32 bits, offsets 32 or 64 (unsigned ones are read as
/// signed). For a format of your own, whose inspect is then not inline, use them at namespace
/// scope: HEDDLE_FORMAT_INSTANCES(extern, mine::MyFormat, double) in its header, and
/// HEDDLE_FORMAT_INSTANCES(, mine::MyFormat, double) in one source.
#define HEDDLE_FORMAT_INSTANCES(EXTERN, FORMAT, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_FORMAT_INSTANCES_ON, EXTERN, FORMAT, SCALAR)
#define HEDDLE_FORMAT_INSTANCES_ON(EXTERN, FORMAT, SCALAR, EXEC) \
  HEDDLE_FORMAT_INSTANCE(EXTERN, FORMAT, SCALAR, int, EXEC)      \
  HEDDLE_FORMAT_INSTANCE(EXTERN, FORMAT, SCALAR, std::int64_t, EXEC)
#define HEDDLE_FORMAT_INSTANCE(EXTERN, FORMAT, SCALAR, OFFSET, EXEC)                     \
  EXTERN template std::unique_ptr<                                                       \
      ::heddle::SpmvExecutor<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC), SCALAR, SCALAR>> \
  FORMAT::inspect<SCALAR, SCALAR, EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)>(            \
      const ::heddle::Inspection<EXEC, HEDDLE_MATRIX(SCALAR, OFFSET, EXEC)>&,            \
      const ::heddle::Scheme&);
#define HEDDLE_MATRIX(SCALAR, OFFSET, EXEC) \
  ::heddle::CsrMatrix<SCALAR, int, OFFSET, EXEC::memory_space>
/// The part of a format that depends on no type.
#define HEDDLE_RULES_INSTANCE(EXTERN, FORMAT) \
  EXTERN template ::heddle::FormatRules heddle::rules_of<FORMAT>();

namespace heddle::detail {

/// Whether the compiled part has instances for a matrix with signed offsets, and the scalars of
/// vectors and sums.
#define HEDDLE_OR_SAME(TYPE, OTHER) || std::is_same_v<TYPE, OTHER>
template <class Exec, class Matrix, class... Scalars>
constexpr bool is_compiled() {
  using S = typename Matrix::scalar_type;
  using Off = typename Matrix::offset_type;
  return (false HEDDLE_EACH_SPACE(HEDDLE_OR_SAME, Exec)) &&
         (false HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_OR_SAME, S)) &&
         std::is_same_v<typename Matrix::memory_space, typename Exec::memory_space> &&
         std::is_same_v<typename Matrix::ordinal_type, int> &&
         (std::is_same_v<Off, int> || std::is_same_v<Off, std::int64_t>) &&
         (std::is_same_v<S, Scalars> && ...);
}
#undef HEDDLE_OR_SAME

/// Whether T is declared in one header and defined in another.
template <class T>
inline constexpr bool is_declared_apart = false;
/// Whether the definition of T is included. The header that defines T sets it, and so does a source
/// that compiles instances of T elsewhere.
template <class T>
inline constexpr bool is_defined = false;

}  // namespace heddle::detail

/// Callers of functions that another header defines assert this; else only linking would fail.
#define HEDDLE_ASSERT_DEFINED(...)                                                                \
  static_assert(__VA_ARGS__,                                                                      \
                "Heddle's compiled part has nothing for these types: it has 32-bit columns, and " \
                "x, y and sums in the matrix's scalar; define HEDDLE_DEFINITIONS before Heddle "  \
                "is included, or build that part with HEDDLE_INSTANTIATE for another scalar")

/// Each format of the library has this below its definition: its instances in the compiled part.
#define HEDDLE_COMPILED_FORMAT(FORMAT)                                            \
  template <>                                                                     \
  inline constexpr bool heddle::detail::is_declared_apart<heddle::FORMAT> = true; \
  HEDDLE_IF_COMPILED(HEDDLE_RULES_INSTANCE(HEDDLE_EXTERN, heddle::FORMAT))        \
  HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_FORMAT_INSTANCES, HEDDLE_EXTERN, heddle::FORMAT)
