// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "host/complex_pack.hpp"
#include "single_pack.hpp"
#include "team.hpp"

namespace heddle::backends {

/// A team whose kernel is compiled for registers of RegisterBytes.
template <class Team, int RegisterBytes>
struct SimdTeam : Team {
  static constexpr int register_bytes = RegisterBytes;
  using Team::Team;
};

namespace detail {
/// Of a team: as its execution space says, or itself.
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

/// The values that one lane holds side by side, for kernels whose lanes lie across rows: a lane
/// owns `width` consecutive rows. On a GPU that is one row; on a CPU as many as 32 bytes hold (of
/// real or imaginary parts), or one where the compiler has no vectors. Inside a kernel that
/// launch_simd launches it is Pack<Team, T>, made of the registers that the team's instructions
/// have; outside, Pack<Exec, T> has the same width.
///
/// - `Mask::first(n)`: the first n lanes; n may be negative, or larger than width.
/// - `Mask::within(at, n)`: lanes i for which at + i is one of 0 .. n - 1.
/// - `Mask::above(numbers, bound [, within])`: lanes (of `within`) whose number is above; no other
///   number is read.
/// - `a & b`, `mask.any()`, `mask.all()`, `mask.lane(i)`: of masks.
/// - `zero()`, `all(value)`, `v.lane(i)`: the same in every lane; the value of one.
/// - `load(from [, mask])`: consecutive entries; zero outside the mask, where memory is not
///   touched.
/// - `load_once(from, mask)`: the same for what no thread reads again soon.
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

}  // namespace heddle::backends
