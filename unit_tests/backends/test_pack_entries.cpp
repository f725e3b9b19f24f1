// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include "../../backends/launch_simd.hpp"
#include "../../backends/pack.hpp"
#include "lanes.hpp"

namespace heddle::test {

using backends::Simd;

namespace {

/// Adds values * x to 1 at each entry, from places before the first entry to places after the last;
/// one team a place.
template <class Exec, class T, class S>
struct AddEntries {
  static constexpr int width = backends::Pack<Exec, T>::width;
  using Scratch = backends::NoScratch;

  const S* values;
  const S* x;
  T* results;
  std::int64_t size;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, T>;
    if (team.thread() > 0) return;
    const std::int64_t at = team.index() - 2 * width;
    const auto inside = Pack::Mask::within(at, size);
    backends::PackEntries<Pack, S> entries;
    entries.load_once(values + at, inside);
    const Pack sum = entries.multiply_add(Pack::load(x + at, inside), Pack::all(T(1)));
    Pack::store(results + team.index() * width, sum);
  }
};

template <class Exec, class T, class S>
void holes_stay_out(const Exec& exec, Simd simd) {
  using Kernel = AddEntries<Exec, T, S>;
  constexpr int width = Kernel::width;
  constexpr std::int64_t size = 70, teams = size + 4 * width;
  constexpr auto infinity = std::numeric_limits<RealOf<S>>::infinity();
  std::vector<S> values, x;
  for (int i = 0; i < size; ++i) {
    const bool hole = i % 5 == 2 || i / 20 == 2;
    values.push_back(whole_number<S>(i));
    x.push_back(hole ? S(infinity) : whole_number<S>(i + 3));
    if (hole) backends::put_hole(&values.back());
  }
  std::vector<T> expected;
  for (std::int64_t team = 0; team < teams; ++team) {
    for (int lane = 0; lane < width; ++lane) {
      const std::int64_t at = team - 2 * width + lane;
      const bool entry = at >= 0 && at < size && at % 5 != 2 && at / 20 != 2;
      const auto i = static_cast<std::size_t>(entry ? at : 0);
      expected.push_back(entry ? T(1) + T(values[i]) * T(x[i]) : T(1));
    }
  }
  const auto values_there = to_device(exec, values), x_there = to_device(exec, x);
  const auto results = to_device(exec, std::vector<T>(expected.size(), T(-7)));
  backends::launch_simd<backends::Shape<1>>(
      exec, "heddle::test::holes", teams,
      Kernel{values_there.data(), x_there.data(), results.data(), size}, simd);
  CHECK(to_host(exec, results) == expected);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("pack entries: what is infinite does not come in through holes", T,
                          pack_entries) {
  using S = typename T::Scalar;
  using Wider = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;
  const typename T::Exec exec;
  for (const Simd simd : {Simd::none, Simd::loads}) {
    if (!backends::supports(simd)) continue;
    holes_stay_out<typename T::Exec, S, S>(exec, simd);
    holes_stay_out<typename T::Exec, Wider, S>(exec, simd);
  }
}
TEST_CASE_TEMPLATE_APPLY(pack_entries, Every<Scalars, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE("pack entries: a hole is no entry, and no entry a hole", S, float, double,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
  S hole, place;
  backends::put_hole(&hole);
  CHECK(backends::is_hole(hole));
  for (const auto real :
       {RealOf<S>(0), RealOf<S>(-0.0), RealOf<S>(3), std::numeric_limits<RealOf<S>>::infinity(),
        std::numeric_limits<RealOf<S>>::quiet_NaN(),
        std::numeric_limits<RealOf<S>>::signaling_NaN()}) {
    CHECK(!backends::is_hole(S(real)));
    place = hole;
    backends::add_entry(&place, S(real));
    CHECK(!backends::is_hole(place));
    backends::add_entry(&place, S(1));
    CHECK((place == S(real) + S(1) || place != place));
  }
  // A NaN of the user's with the same bits as a hole.
  place = hole;
  backends::add_entry(&place, hole);
  CHECK(!backends::is_hole(place));
  CHECK(place != place);
  backends::add_entry(&place, hole);
  CHECK(!backends::is_hole(place));
}

}  // namespace heddle::test
