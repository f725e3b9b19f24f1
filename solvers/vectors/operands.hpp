// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "../../backends/algorithms/team_sums_workspace.hpp"
#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/real_part.hpp"
#include "../../core/types.hpp"
#include "../../formats/compiled.hpp"

/// Norms that neither overflow nor underflow.
namespace heddle::detail::vectors {

/// A sum of squares in Acc that is right over the whole range of V. Squares of float fit into
/// double. Squares in V's own precision are added up as they are, scaled down and scaled up, and
/// the sum that lost nothing counts. Scales are powers of two, so that the sums have the bits of an
/// unscaled one. Source: J. Blue (1978), without its branches.
template <Scalar V, Scalar Acc>
struct Squares {
  using Real = heddle::RealOf<Acc>;
  static constexpr bool scaled = std::is_same_v<heddle::RealOf<V>, Real>;
  static constexpr int sums = scaled ? 3 : 1;
  static constexpr bool wide = std::is_same_v<Real, double>;
  static constexpr Real down = static_cast<Real>(wide ? 0x1p-530 : 0x1p-90),
                        up = static_cast<Real>(wide ? 0x1p530 : 0x1p90);
  /// A plain sum below this may have lost squares.
  static constexpr Real least = static_cast<Real>(wide ? 0x1p-800 : 0x1p-60);

  /// sum[0 .. sums) += the squares of `value`
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Pack& value, Pack* sum) {
    sum[0] = Pack::multiply_add(Pack::conjugate(value), value, sum[0]);
    if constexpr (scaled) {
      const Pack small = Pack::multiply(Pack::all(Acc(down)), value);
      const Pack large = Pack::multiply(Pack::all(Acc(up)), value);
      sum[1] = Pack::multiply_add(Pack::conjugate(small), small, sum[1]);
      sum[2] = Pack::multiply_add(Pack::conjugate(large), large, sum[2]);
    }
  }
  /// sum[0 .. sums) += the squares of one number
  KOKKOS_FORCEINLINE_FUNCTION static void add_one(const Acc& value, Acc* sum) {
    sum[0] += conjugate(value) * value;
    if constexpr (scaled) {
      const Real shrink = down, grow = up;  // complex products take references, which nvcc refuses
      const Acc small = value * shrink, large = value * grow;
      sum[1] += conjugate(small) * small;
      sum[2] += conjugate(large) * large;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real norm(const Acc* total) {
    const Real plain = real_part(total[0]);
    if constexpr (scaled) {
      // An overflow of complex numbers may be NaN.
      if (!Kokkos::isfinite(plain)) return Kokkos::sqrt(real_part(total[1])) * up;
      if (plain < least) return Kokkos::sqrt(real_part(total[2])) * down;
    }
    return Kokkos::sqrt(plain);
  }
};

}  // namespace heddle::detail::vectors

namespace heddle::detail::krylov {

/// The type in which dots and norms of S are added up: double, or complex of it.
template <Scalar S>
using Wide = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;

/// A sum of squares that is right over the whole range of S.
template <Scalar S>
using WideSquares = vectors::Squares<S, Wide<S>>;

/// The power of two next below a positive number, within 2^-1000 and 2^1000, and its reciprocal.
struct PowerOfTwo {
  double value, reciprocal;

  KOKKOS_FORCEINLINE_FUNCTION static PowerOfTwo below(double number) {
    constexpr std::uint64_t bias = 1023, farthest = 1000;
    const std::uint64_t exponent = (Kokkos::bit_cast<std::uint64_t>(number) >> 52) & 0x7ff;
    const std::uint64_t within = exponent < bias - farthest   ? bias - farthest
                                 : exponent > bias + farthest ? bias + farthest
                                                              : exponent;
    return {Kokkos::bit_cast<double>(within << 52),
            Kokkos::bit_cast<double>((2 * bias - within) << 52)};
  }
};

}  // namespace heddle::detail::krylov

namespace heddle::detail::vectors {

/// A number that a launch reads: a value of the host, or in memory of the device, one for all
/// vectors or one for each.
template <Scalar Acc>
struct Factor {
  const Acc* place = nullptr;
  std::int64_t stride = 0;
  Acc value{};

  KOKKOS_FORCEINLINE_FUNCTION Acc of(int vector) const {
    return place ? place[vector * stride] : value;
  }
};

// Passes over vectors: operands, and a formula for one entry of each.

/// Largest number of vectors in a launch, a constant of kernels.
inline constexpr int vectors_at_once = 8;

/// Vectors of a pass. If they are not loaded, they are zero in the formula and never read.
template <class V>
struct Operand {
  Multivector<V> vectors;
  bool loads, stores;

  template <class Pack, class Entries>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Entries& at) const {
    return loads ? at.load(vectors) : Pack::zero();
  }
  template <class Pack, class Entries>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Entries& at, const Pack& values) const {
    if constexpr (!std::is_const_v<V>) {
      if (stores) at.store(vectors, values);
    }
  }
};
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Operand<const V> loaded(const Multivector<V>& v, bool loads = true) {
  return {{v.data, v.row_stride, v.vector_stride, v.rows, v.count}, loads, false};
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Operand<V> stored(const Multivector<V>& v, bool stores = true) {
  return {v, false, stores};
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION Operand<V> updated(const Multivector<V>& v, bool loads = true,
                                               bool stores = true) {
  return {v, loads, stores};
}

template <int I, class V>
struct OperandAt {
  Operand<V> operand;
};
template <int I, class Pack>
struct ValueAt {
  Pack value;
};

/// Operands in order. They are members, not an array, so that values stay in registers.
template <class Indices, class... V>
struct OperandList;
template <int... I, class... V>
struct OperandList<std::integer_sequence<int, I...>, V...> : OperandAt<I, V>... {
  template <class Pack>
  struct Values : ValueAt<I, Pack>... {};

  template <class Pack, class Entries>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> load(const Entries& at) const {
    return {{OperandAt<I, V>::operand.template load<Pack>(at)}...};
  }
  template <class Formula, class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Formula& formula, const Entries& at,
                                           Values<Pack>& of, [[maybe_unused]] Pack* sums) const {
    // nvcc 13 evaluates `requires { formula(...); }` to false even if it holds.
    if constexpr (std::is_invocable_v<const Formula&, decltype(ValueAt<I, Pack>::value)&...>) {
      formula(of.ValueAt<I, Pack>::value...);
    } else {
      formula(at, sums, of.ValueAt<I, Pack>::value...);
    }
    (OperandAt<I, V>::operand.store(at, of.ValueAt<I, Pack>::value), ...);
  }
};
template <class... V>
KOKKOS_FORCEINLINE_FUNCTION auto operands_of(const Operand<V>&... of) {
  return OperandList<std::make_integer_sequence<int, sizeof...(V)>, V...>{{of}...};
}

/// sum += conj(x) y
template <class Pack>
KOKKOS_FORCEINLINE_FUNCTION void add_dot(const Pack& x, const Pack& y, Pack& sum) {
  sum = Pack::multiply_add(Pack::conjugate(x), y, sum);
}

/// The base of passes that compute in Acc and add up `Sums` numbers for each vector. A pass has
///
/// - `operands(v)`: operands_of(loaded(x), updated(y), ...), of vector v;
/// - `formula<Pack>(v)`: a function object that is made once for many entries: formula(x, y, ...)
///   gets a Pack of entries of each operand, and overwrites those that are updated or stored. With
///   sums: formula(at, sums, x, y, ...), which adds a Pack to each of sums[0 .. Sums). Values that
///   may be nonzero beyond the last row, where loads are zero, go through `at.keep(value)` first;
/// - and, if needed, its own versions of the functions here.
template <Scalar Acc, int Sums = 0>
struct Pass {
  using accumulator_type = Acc;
  static constexpr int sums = Sums;

  /// Whether there is anything to do for a vector.
  KOKKOS_FORCEINLINE_FUNCTION static bool active(int) { return true; }
  /// Called by one thread, once for each vector, active or not, with its sums over all rows.
  KOKKOS_FORCEINLINE_FUNCTION static void finish(int, const Acc*) {}
};

/// Runs a pass over `vectors` vectors of `rows` rows: a launch for up to vectors_at_once of them.
/// unit_stride: whether entries of every vector of the pass follow each other. A pass with sums
/// needs the workspace, of the same `exec`; it is launched even without rows: their sums are zero.
///
/// The last team to end adds up the sums of all and passes them to finish(), on the device. The
/// order of the sums is fixed by the rows, the teams and the device. All operands are loaded before
/// the formula runs, of several entries at a time on a GPU, and then stored: a vector that is
/// stored may be one that is loaded.
///
/// With `totals`, in memory of the device, finish() is not called: the sums of vector v are written
/// to totals[v * sums + s], so that a reduction over processes can add to them.
template <ExecutionSpace Exec, class Pass>
void stream(const Exec& exec, const char* label, std::int64_t rows, int vectors, bool unit_stride,
            const Pass& pass,
            const VectorWorkspace<Exec, typename Pass::accumulator_type>* workspace = nullptr,
            typename Pass::accumulator_type* totals = nullptr);

/// The rows of one vector that a lane holds at once. UnitStride: whether entries of a vector follow
/// each other. Whole: whether all rows of the pack exist.
template <class Pack, bool UnitStride, bool Whole>
struct Entries {
  std::int64_t row;
  int vector;
  std::int64_t rows;  ///< number of rows from `row` on

  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<V>& v) const {
    const V* const from = address(v);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, v.row_stride, mask());
    }
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<const V>& v) const {
    return load(
        Multivector<V>{const_cast<V*>(v.data), v.row_stride, v.vector_stride, v.rows, v.count});
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Multivector<V>& v, const Pack& values) const {
    V* const to = address(v);
    if constexpr (UnitStride && Whole) {
      Pack::store(to, values);
    } else if constexpr (UnitStride) {
      Pack::store(to, values, mask());
    } else {
      Pack::store_strided(to, v.row_stride, values, mask());
    }
  }
  /// Loads from the vector that begins at `first`, for loops over many vectors.
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const V* first, int row_stride) const {
    const V* const from = first + row * (UnitStride ? 1 : row_stride);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, row_stride, mask());
    }
  }
  /// The values, with zeros beyond the last row, for sums.
  KOKKOS_FORCEINLINE_FUNCTION Pack keep(const Pack& values) const {
    if constexpr (Whole) {
      return values;
    } else {
      return Pack::keep(mask(), values);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION typename Pack::Mask mask() const {
    return Pack::Mask::first(Whole ? Pack::width : rows);
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION V* address(const Multivector<V>& v) const {
    return v.data + row * (UnitStride ? 1 : v.row_stride) + vector * v.vector_stride;
  }
};

}  // namespace heddle::detail::vectors

namespace heddle {

/// A number for an operation on vectors: a value of the host, or a View of the device that holds
/// one number, or one for each vector.
template <class T>
concept VectorFactor = Scalar<T> || std::is_arithmetic_v<T> ||
                       (Kokkos::is_view_v<T> && (T::rank() == 0 || T::rank() == 1));

namespace detail::vectors {

template <VectorView View>
using ScalarOf = typename View::non_const_value_type;

template <VectorView View>
Multivector<const ScalarOf<View>> to_read(const View& view) {
  return multivector_of<const ScalarOf<View>>(view);
}
template <WritableVectorView View>
Multivector<ScalarOf<View>> to_write(const View& view) {
  return multivector_of<ScalarOf<View>>(view);
}

template <class T>
bool has_unit_stride(const Multivector<T>& v) {
  return v.row_stride == 1;
}

/// Throws Error unless x and y have the same shape, and are identical or do not overlap.
template <class X, class Y>
void check_alike(const char* name_of_x, const Multivector<X>& x, const char* name_of_y,
                 const Multivector<Y>& y) {
  const auto shape = [](const auto& v) {
    return std::to_string(v.rows) + " x " + std::to_string(v.count);
  };
  if (x.rows != y.rows || x.count != y.count) {
    throw Error(
        std::string(name_of_x) + " is " + shape(x) + " and " + name_of_y + " is " + shape(y),
        "give vectors of one length, and as many of each");
  }
  const bool same = static_cast<const void*>(x.data) == static_cast<const void*>(y.data) &&
                    (x.rows < 2 || x.row_stride == y.row_stride) &&
                    (x.count < 2 || x.vector_stride == y.vector_stride) && sizeof(X) == sizeof(Y);
  if (!same && overlap(x, y)) {
    throw Error(std::string(name_of_x) + " and " + name_of_y + " overlap in part",
                "give the same vectors, or vectors that do not overlap");
  }
}

/// Throws Error if vectors that check_alike accepts are identical.
template <class X, class Y>
void check_distinct(const char* name_of_x, const Multivector<X>& x, const char* name_of_y,
                    const Multivector<Y>& y) {
  if (overlap(x, y)) {
    throw Error(std::string(name_of_x) + " and " + name_of_y + " are the same vector",
                "give each memory of its own");
  }
}

/// Throws Error unless b and x are alike, and have the `rows` of a preconditioner.
template <class B, class X>
void check_preconditioned(const Multivector<B>& b, const Multivector<X>& x, std::int64_t rows) {
  check_alike("b", b, "x", x);
  if (x.rows == rows) return;
  throw Error("b has " + std::to_string(x.rows) + " rows, and the preconditioner is for " +
                  std::to_string(rows),
              "make it of the same matrix");
}

/// Throws Error unless `place` holds one number for each of `count` vectors.
template <class View>
void check_numbers(const char* name, const View& place, int count, bool one_for_all) {
  if constexpr (View::rank() == 0) {
    if (count > 1 && !one_for_all) {
      throw Error(std::string(name) + " has room for one number, and there are " +
                      std::to_string(count) + " vectors",
                  "give a View of rank 1");
    }
  } else {
    if (place.extent(0) != static_cast<std::size_t>(count)) {
      throw Error(std::string(name) + " holds " + std::to_string(place.extent(0)) +
                      " numbers, and there are " + std::to_string(count) + " vectors",
                  "give one number for each vector");
    }
  }
}

template <Scalar Acc, VectorFactor F>
Factor<Acc> factor_of(const char* name, const F& factor, int count) {
  if constexpr (Kokkos::is_view_v<F>) {
    static_assert(std::same_as<typename F::non_const_value_type, Acc>,
                  "a factor on the device is of the accumulator's type");
    check_numbers(name, factor, count, true);
    std::int64_t stride = 0;
    if constexpr (F::rank() == 1)
      stride = count > 1 ? static_cast<std::int64_t>(factor.stride(0)) : 0;
    return {factor.data(), stride, Acc(0)};
  } else {
    return {nullptr, 0, Acc(factor)};
  }
}

/// The places of results, one for each vector.
template <class T>
struct Results {
  T* place = nullptr;
  std::int64_t stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& of(int vector) const { return place[vector * stride]; }
};

template <class T, class View>
Results<T> results_of(const View& view, int count) {
  static_assert(std::same_as<typename View::value_type, T>,
                "results are of the accumulator's type");
  check_numbers("the result", view, count, false);
  std::int64_t stride = 0;
  if constexpr (View::rank() == 1) stride = static_cast<std::int64_t>(view.stride(0));
  return {view.data(), stride};
}

/// The argument of is_defined for passes over vectors of V.
template <Scalar V>
struct StreamKernels;

/// Asserts that passes over vectors of V, with sums in Acc, are compiled, here or elsewhere.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
constexpr void assert_defined() {
  using Space = typename Exec::memory_space;
  HEDDLE_ASSERT_DEFINED(is_defined<StreamKernels<V>> ||
                        is_compiled<Exec, CsrMatrix<V, int, int, Space>, Acc>());
}

/// Calls body(first, count) for all vectors, up to vectors_at_once at a time.
template <class Body>
void in_slices(int vectors, const Body& body) {
  for (int first = 0; first < vectors; first += vectors_at_once) {
    body(first, std::min(vectors - first, vectors_at_once));
  }
}

}  // namespace detail::vectors

}  // namespace heddle
