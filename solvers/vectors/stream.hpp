// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../core/multivector.hpp"
#include "../../formats/common/team_sums/workspace.hpp"

/// Passes over vectors: operands, and a formula for one entry of each.
namespace heddle::detail::vectors {

/// Vectors that a launch takes, as a constant of kernels.
inline constexpr int vectors_at_once = 8;

/// Vectors of a pass. What is not loaded is zero in the formula, and its memory is not touched.
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

/// Operands in order. Members, not an array, so that values stay in registers.
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
    // nvcc 13 finds `requires { formula(...); }` false where it holds.
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

/// What a pass derives from, which computes in Acc and adds up `Sums` numbers of each vector. It
/// has
///
/// - `operands(v)`: operands_of(loaded(x), updated(y), ...), of vector v;
/// - `formula<Pack>(v)`: a function object that is made once for many entries, with a Pack of
///   entries of each operand, which it overwrites where they are updated or stored: formula(x, y,
///   ...). With sums: formula(at, sums, x, y, ...), which adds to sums[0 .. Sums), one of each
///   Pack; what is not zero beyond the last row whatever the vectors hold goes through
///   `at.keep(value)` first;
/// - and of its own, if need be, what stands here.
template <Scalar Acc, int Sums = 0>
struct Pass {
  using accumulator_type = Acc;
  static constexpr int sums = Sums;

  /// Whether there is anything to do for a vector.
  KOKKOS_FORCEINLINE_FUNCTION static bool active(int) { return true; }
  /// By one thread, once for each vector, active or not, with its sums over all rows.
  KOKKOS_FORCEINLINE_FUNCTION static void finish(int, const Acc*) {}
};

/// Runs a pass over `vectors` vectors of `rows` rows: a launch for up to vectors_at_once of them.
/// unit_stride: entries of every vector that the pass touches follow each other. A pass with sums
/// takes the workspace, of the same `exec`; no rows are a launch too then: their sums are zero.
///
/// The last team to end adds up the sums of all and gives them to the pass, on the device. The
/// order of the sums is fixed by the rows, the teams and the device. All operands are loaded before
/// the formula runs, of several entries at a time on a GPU, and then stored.
template <ExecutionSpace Exec, class Pass>
void stream(const Exec& exec, const char* label, std::int64_t rows, int vectors, bool unit_stride,
            const Pass& pass,
            const VectorWorkspace<Exec, typename Pass::accumulator_type>* workspace = nullptr);

}  // namespace heddle::detail::vectors
