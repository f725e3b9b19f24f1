// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <limits>

#include "../core/types.hpp"
#include "host/simd_pack.hpp"
#include "memory.hpp"
#include "team.hpp"

namespace heddle::backends {

/// A Pack of one value: that of a lane of a GPU, or of a CPU whose SIMD the compiler does not know.
template <Scalar T>
struct SinglePack {
  static constexpr int width = 1;

  /// A mask of 32 bits, since clang passes a smaller one through memory on gfx90a.
  struct Mask {
    std::int32_t on;

    KOKKOS_FORCEINLINE_FUNCTION static Mask where(bool on) { return {on ? 1 : 0}; }
    KOKKOS_FORCEINLINE_FUNCTION static Mask first(std::int64_t n) { return where(n > 0); }
    KOKKOS_FORCEINLINE_FUNCTION static Mask within(std::int64_t at, std::int64_t n) {
      return where(static_cast<std::uint64_t>(at) < static_cast<std::uint64_t>(n));
    }
    template <class O>
    KOKKOS_FORCEINLINE_FUNCTION static Mask above(const O* numbers, O bound) {
      return where(*numbers > bound);
    }
    template <class O>
    KOKKOS_FORCEINLINE_FUNCTION static Mask above(const O* numbers, O bound, Mask within) {
      return where(within.any() && *numbers > bound);
    }
    KOKKOS_FORCEINLINE_FUNCTION friend Mask operator&(Mask a, Mask b) {
      return where(a.any() && b.any());
    }
    KOKKOS_FORCEINLINE_FUNCTION bool lane(int) const { return any(); }
    KOKKOS_FORCEINLINE_FUNCTION bool any() const { return on != 0; }
    KOKKOS_FORCEINLINE_FUNCTION bool all() const { return any(); }
  };

  T value;

  KOKKOS_FORCEINLINE_FUNCTION static SinglePack zero() { return {T(0)}; }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack all(T value) { return {value}; }
  KOKKOS_FORCEINLINE_FUNCTION T lane(int) const { return value; }

  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack load(const U* from) {
    return {T(*from)};
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack load(const U* from, Mask mask) {
    return {T(backends::load(from, mask.any()))};
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack load_once(const U* from, Mask mask) {
    return {T(backends::load_once(from, mask.any()))};
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack strided(const U* from, std::int64_t, Mask mask) {
    return load(from, mask);
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack gather(const U* from, const O* ordinals,
                                                       std::int64_t stride = 1) {
    return {T(from[static_cast<std::int64_t>(*ordinals) * stride])};
  }
  template <Scalar U, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack gather(const U* from, const O* ordinals, Mask mask,
                                                       std::int64_t stride = 1) {
    const auto ordinal = static_cast<std::int64_t>(backends::load(ordinals, mask.any()));
    return load(from + ordinal * stride, mask);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, SinglePack v) {
    *to = U(v.value);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store(U* to, SinglePack v, Mask mask) {
    if (mask.any()) *to = U(v.value);
  }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION static void store_strided(U* to, std::int64_t, SinglePack v,
                                                        Mask mask) {
    store(to, v, mask);
  }

  KOKKOS_FORCEINLINE_FUNCTION static SinglePack add(SinglePack a, SinglePack b) {
    return {a.value + b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack multiply(SinglePack a, SinglePack b) {
    return {a.value * b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack multiply_add(SinglePack a, SinglePack b,
                                                             SinglePack c) {
    return {c.value + a.value * b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack keep(Mask mask, SinglePack v) {
    return {mask.any() ? v.value : T(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack select(Mask mask, SinglePack a, SinglePack b) {
    return {mask.any() ? a.value : b.value};
  }
  KOKKOS_FORCEINLINE_FUNCTION static SinglePack conjugate(SinglePack v) {
    return {heddle::conjugate(v.value)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static T sum(SinglePack v) { return v.value; }
};

/// A team whose kernel is compiled for registers of RegisterBytes.
template <class Team, int RegisterBytes>
struct SimdTeam : Team {
  static constexpr int register_bytes = RegisterBytes;
  using Team::Team;
};

namespace detail {
/// The Pack of a team: that of its execution space, unless the team has its own registers.
template <class ExecOrTeam, Scalar T>
struct PackOf : PackOf<typename ExecOrTeam::execution_space, T> {};
template <ExecutionSpace Exec, Scalar T>
struct PackOf<Exec, T> {
  using type = SinglePack<T>;
};
#ifdef HEDDLE_COMPILES_PACKS
template <ExecutionSpace Exec, Scalar T>
  requires runs_on_host<Exec>
struct PackOf<Exec, T> {
  using type = SimdPack<T, 16>;
};
template <class Team, int RegisterBytes, Scalar T>
struct PackOf<SimdTeam<Team, RegisterBytes>, T> {
  using type = SimdPack<T, RegisterBytes>;
};
#endif
}  // namespace detail

/// The values of one lane, for kernels whose lanes are distributed across rows: a lane owns `width`
/// consecutive rows. On a GPU that is one row; on a CPU as many as 32 bytes hold (of real or
/// imaginary parts), or one if the compiler has no vectors. Inside a kernel that launch_simd
/// launches it is Pack<Team, T>, made of the registers that the team's instructions have; outside,
/// Pack<Exec, T> has the same width.
///
/// - `Mask::first(n)`: the first n lanes; n may be negative, or larger than width.
/// - `Mask::within(at, n)`: lanes i for which at + i is one of 0 .. n - 1.
/// - `Mask::above(numbers, bound [, within])`: lanes (of `within`) whose number is above; no other
///   number is read.
/// - `a & b`, `mask.any()`, `mask.all()`, `mask.lane(i)`: operations of masks.
/// - `zero()`, `all(value)`, `v.lane(i)`: the same value in every lane; the value of one lane.
/// - `load(from [, mask])`: consecutive entries; zero outside the mask, where memory is not
///   touched.
/// - `load_once(from, mask)`: a load of what no thread reads again soon.
/// - `strided(from, stride, mask)`: from[0], from[stride], ...
/// - `gather(from, ordinals [, mask] [, stride])`: from[ordinals[i] * stride]; outside the mask
///   zero, and neither is touched.
/// - `store(to, v [, mask])`, `store_strided(to, stride, v, mask)`: the reverse.
/// - `add`, `multiply`, `multiply_add(a, b, c)`: a + b, a * b, a * b + c, whose product may be
///   rounded or not.
/// - `keep(mask, v)`, `select(mask, a, b)`: zero, or b, outside the mask, whatever v or a is there:
///   NaN or infinity do not get in.
/// - `conjugate(v)`: the complex conjugate.
/// - `sum(v)`: the sum of the lanes, in an order fixed by the width.
///
/// Entries in memory may be of another type that converts to T.
template <class ExecOrTeam, Scalar T>
using Pack = typename detail::PackOf<ExecOrTeam, T>::type;

namespace detail {
template <Scalar S>
using HoleWord = std::conditional_t<sizeof(RealOf<S>) == 4, std::int32_t, std::int64_t>;
/// Bits of a quiet NaN that no arithmetic generates, which mark a hole; and of the NaN that
/// replaces it if a user's entry has these bits.
template <Scalar S>
inline constexpr HoleWord<S> hole_word =
    static_cast<HoleWord<S>>(sizeof(RealOf<S>) == 4 ? 0x7fc0401e : 0x7ff8401e401e401e);
template <Scalar S>
inline constexpr HoleWord<S> other_nan_word =
    static_cast<HoleWord<S>>(sizeof(RealOf<S>) == 4 ? 0x7fc00000 : 0x7ff8000000000000);

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void put_word(S* place, HoleWord<S> word) {
  *place = S(0);
  memcpy(reinterpret_cast<unsigned char*>(place), &word, sizeof word);
}
}  // namespace detail

/// Whether a place of a format that stores more than the matrix has is a hole: one without an
/// entry. The value itself says so by a NaN of its own (for a complex value, its real part). So an
/// infinity in x does not reach a row that does not have its column, and no mask is read.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool is_hole(const S& value) {
  detail::HoleWord<S> word;
  memcpy(&word, reinterpret_cast<const unsigned char*>(&value), sizeof word);
  return word == detail::hole_word<S>;
}

/// Makes a place a hole.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void put_hole(S* place) {
  detail::put_word(place, detail::hole_word<S>);
}

/// Stores an entry, or adds it to one that is there. It is no hole, even if it is a NaN.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION void add_entry(S* place, const S& entry) {
  *place = is_hole(*place) ? entry : *place + entry;
  if (is_hole(*place)) detail::put_word(place, detail::other_nan_word<S>);
}

/// The values of consecutive places that the lanes of a Pack multiply by, and a mask of the lanes
/// that have one. A lane without one may hold any number, NaN included.
template <class Pack, Scalar S>
struct PackEntries {
  using Mask = typename Pack::Mask;
  Pack value;
  Mask present;

  /// Loads the places of lanes in `within`; others are not touched.
  KOKKOS_FORCEINLINE_FUNCTION void load_once(const S* from, const Mask& within) {
    using Word = detail::HoleWord<S>;
    constexpr std::int64_t stride = sizeof(S) / sizeof(Word);
    value = Pack::load_once(from, within);
    present = within.all()
                  ? Mask::unlike(reinterpret_cast<const Word*>(from), stride, detail::hole_word<S>)
                  : Mask::where([&](int i) __attribute__((always_inline)) {
                      return within.lane(i) && !is_hole(from[i]);
                    });
  }
  /// sum + value * x in the lanes that have an entry, sum in the others.
  KOKKOS_FORCEINLINE_FUNCTION Pack multiply_add(const Pack& x, const Pack& sum) const {
    // Products of zeros, not a select of sums, which the next sum would have to wait for.
    return Pack::multiply_add(Pack::keep(present, value), Pack::keep(present, x), sum);
  }
};

/// The value is in a register of the lane.
template <Scalar T, Scalar S>
struct PackEntries<SinglePack<T>, S> {
  using Pack = SinglePack<T>;
  using Mask = typename Pack::Mask;
  Pack value;
  Mask present;

  KOKKOS_FORCEINLINE_FUNCTION void load_once(const S* from, Mask within) {
    const S stored = backends::load_once(from, within.any());
    value = {T(stored)};
    present = Mask::where(within.any() && !is_hole(stored));
  }
  KOKKOS_FORCEINLINE_FUNCTION Pack multiply_add(Pack x, Pack sum) const {
    return Pack::select(present, Pack::multiply_add(value, x, sum), sum);
  }
};

/// The ordinals by which the lanes of a Pack gather, loaded once: -1 if a lane has none. On a CPU
/// such a lane loads from[0], which must exist if any slot does, and the mask removes it: a branch
/// for each lane would be mispredicted. There load_once reads all lanes, wanted or not.
template <class Pack, Ordinal O>
struct PackOrdinals;

#ifdef HEDDLE_COMPILES_PACKS
/// Written with vectors, since compilers do not vectorize this.
template <class Pack, Ordinal O>
struct PackOrdinals {
  using Mask = typename Pack::Mask;
  using Vector = detail::Vector<O, Pack::width>;
  O ordinal[Pack::width];

  KOKKOS_FORCEINLINE_FUNCTION static PackOrdinals load_once(const O* from, bool) {
    PackOrdinals ordinals;
    std::memcpy(ordinals.ordinal, from, sizeof ordinals.ordinal);
    return ordinals;
  }
  /// Mask of the lanes that have an ordinal.
  KOKKOS_FORCEINLINE_FUNCTION Mask lanes() const { return Mask::above(ordinal, O(-1)); }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION Pack gather(const U* from, const Mask& mask,
                                          std::int64_t stride) const {
    Vector all;
    std::memcpy(&all, ordinal, sizeof all);
    all &= ~(all >> (8 * static_cast<int>(sizeof(O)) - 1));
    O loaded[Pack::width];
    std::memcpy(loaded, &all, sizeof all);
    return Pack::keep(mask, Pack::gather(from, loaded, stride));
  }
};
#endif

/// The ordinal is in a register of the lane.
template <Scalar T, Ordinal O>
struct PackOrdinals<SinglePack<T>, O> {
  using Mask = typename SinglePack<T>::Mask;
  O ordinal;
  bool wanted;

  KOKKOS_FORCEINLINE_FUNCTION static PackOrdinals load_once(const O* from, bool wanted) {
    return {backends::load_once(from, wanted), wanted};
  }
  KOKKOS_FORCEINLINE_FUNCTION Mask lanes() const { return {wanted && ordinal >= 0}; }
  template <Scalar U>
  KOKKOS_FORCEINLINE_FUNCTION SinglePack<T> gather(const U* from, Mask mask,
                                                   std::int64_t stride) const {
    return SinglePack<T>::load(from + static_cast<std::int64_t>(ordinal) * stride, mask);
  }
};

/// Distance of a lane that has no ordinal.
inline constexpr std::uint16_t no_distance = std::numeric_limits<std::uint16_t>::max();

/// The ordinals of PackOrdinals from 16-bit distances of at least 0 from a common base; no_distance
/// if a lane has none.
template <class Pack, Ordinal O>
struct PackDistances;

#ifdef HEDDLE_COMPILES_PACKS
template <class Pack, Ordinal O>
struct PackDistances : PackOrdinals<Pack, O> {
  using Vector = typename PackOrdinals<Pack, O>::Vector;

  KOKKOS_FORCEINLINE_FUNCTION static PackDistances load_once(const std::uint16_t* from, O base,
                                                             bool) {
    detail::Vector<std::uint16_t, Pack::width> distances;
    std::memcpy(&distances, from, sizeof distances);
    Vector wide = __builtin_convertvector(distances, Vector);
    wide = (wide + base) | (wide == O{no_distance});  // all bits are set if there is none
    PackDistances ordinals;
    std::memcpy(ordinals.ordinal, &wide, sizeof wide);
    return ordinals;
  }
};
#endif

template <Scalar T, Ordinal O>
struct PackDistances<SinglePack<T>, O> : PackOrdinals<SinglePack<T>, O> {
  KOKKOS_FORCEINLINE_FUNCTION static PackDistances load_once(const std::uint16_t* from, O base,
                                                             bool wanted) {
    const std::uint16_t distance = backends::load_once(from, wanted);
    return {{static_cast<O>(base + distance), wanted && distance != no_distance}};
  }
};

}  // namespace heddle::backends
