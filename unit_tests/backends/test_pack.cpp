// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>

#include "../../backends/launch_simd.hpp"
#include "../../backends/pack.hpp"
#include "lanes.hpp"

namespace heddle::test {

using backends::Simd;

using PackTypes = Every<Scalars, UsualIndices, AllBackends>;

namespace {

template <class T>
T not_a_number() {
  const auto nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  if constexpr (is_complex<T>) return T(nan, nan);
  if constexpr (!is_complex<T>) return nan;
}

/// Runs every word of Pack once, in `launches` teams of one lane. The bits of a case's number are
/// its mask. Arrays have exactly the length that the words may read, `results` what they may write.
template <class Exec, class T>
struct EveryWord {
  static constexpr int width = backends::Pack<Exec, T>::width;
  static constexpr int results_per_case = 16 * width;
  static constexpr int stride = 3;
  using Scratch = backends::NoScratch;

  const T* entries;              ///< width entries, the mask's poison where it is off
  const T* apart;                ///< these entries, `stride` places from each to the next
  const T* table;                ///< the array that ordinals index
  const std::int32_t* ordinals;  ///< far out of bounds where the mask is off
  const std::int64_t* numbers;   ///< positive where the mask is on
  const T* clean;                ///< 3 * width numbers without poison
  T* results;

  /// One thread runs each case.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, T>;
    using Mask = typename Pack::Mask;
    static_assert(Pack::width == width);
    if (team.thread() > 0) return;
    const std::int64_t c = team.index();
    const Mask mask = Mask::above(numbers + c * width, std::int64_t(0));
    const T* here = entries + c * width;
    T* to = results + c * results_per_case;
    const Pack a = Pack::load(clean), b = Pack::load(clean + width);
    Pack::store(to, Pack::load(here, mask));
    Pack::store(to + width, Pack::load_once(here, mask));
    Pack::store(to + 2 * width, Pack::strided(apart + c * width * stride, stride, mask));
    Pack::store(to + 3 * width, Pack::gather(table, ordinals + c * width, mask));
    Pack::store(to + 4 * width, Pack::keep(mask, Pack::load(here)));
    Pack::store(to + 5 * width, Pack::select(mask, Pack::load(here), a));
    Pack::store(to + 6 * width, a, mask);
    Pack::store_strided(to + 7 * width, 2, a, mask);
    Pack::store(to + 9 * width, Pack::multiply_add(a, b, Pack::load(clean + 2 * width)));
    Pack::store(to + 10 * width, Pack::add(Pack::multiply(a, b), Pack::conjugate(b)));
    for (int i = 0; i < width; ++i) to[11 * width + i] = Pack::all(a.lane(i)).lane(i);
    Pack::store(to + 12 * width, Pack::zero());
    to[13 * width] = Pack::sum(a);
    const Mask first = Mask::first(c - 2), both = first & mask;
    const Mask again = Mask::above(numbers + c * width, std::int64_t(0), mask);
    int bits = 0;
    for (int i = 0; i < width; ++i) {
      bits += (both.lane(i) == (mask.lane(i) && i < c - 2)) + (again.lane(i) == mask.lane(i));
    }
    to[14 * width] = T(static_cast<RealOf<T>>(bits));
    to[15 * width] = T(static_cast<RealOf<T>>((mask.any() ? 1 : 0) + (mask.all() ? 2 : 0)));
  }
};

/// Checks EveryWord against plain loops.
template <class Exec, class T>
void check_every_word(const Exec& exec, Simd simd) {
  using Words = EveryWord<Exec, T>;
  constexpr int width = Words::width;
  constexpr int cases = 1 << width;
  const T poison = not_a_number<T>();
  const std::vector<T> clean = whole_numbers<T>(3 * width), table = whole_numbers<T>(64);
  std::vector<T> entries, apart, expected;
  std::vector<std::int32_t> ordinals;
  std::vector<std::int64_t> numbers;
  const T untouched(-7);
  for (int c = 0; c < cases; ++c) {
    const auto on = [&](int i) { return (c >> i & 1) != 0; };
    std::vector<T> loaded(width), found(width), kept(width), stored(width), scattered(2 * width);
    for (int i = 0; i < width; ++i) {
      entries.push_back(on(i) ? whole_number<T>(c + i) : poison);
      loaded[i] = on(i) ? entries.back() : T(0);
      for (int s = 0; s < Words::stride; ++s) apart.push_back(s == 0 ? entries.back() : poison);
      ordinals.push_back(on(i) ? (c + 5 * i) % 64 : std::numeric_limits<std::int32_t>::max());
      found[i] = on(i) ? table[ordinals.back()] : T(0);
      numbers.push_back(on(i) ? i + 1 : -i);
      kept[i] = on(i) ? entries.back() : clean[i];
      stored[i] = on(i) ? clean[i] : untouched;
      scattered[2 * i] = stored[i];
      scattered[2 * i + 1] = untouched;
    }
    const auto put = [&](const std::vector<T>& values) {
      expected.insert(expected.end(), values.begin(), values.end());
    };
    for (int times = 0; times < 3; ++times) put(loaded);
    put(found);
    put(loaded);
    put(kept);
    put(stored);
    put(scattered);
    std::vector<T> fused(width), added(width);
    T sum(0);
    for (int i = 0; i < width; ++i) {
      const T product = clean[i] * clean[width + i];
      fused[i] = product + clean[2 * width + i];
      added[i] = product + heddle::conjugate(clean[width + i]);
      sum += clean[i];
    }
    put(fused);
    put(added);
    put(std::vector<T>(clean.begin(), clean.begin() + width));
    put(std::vector<T>(width, T(0)));
    const auto put_one = [&](const T& value) {
      put({value});
      put(std::vector<T>(width - 1, untouched));
    };
    put_one(sum);
    put_one(T(2 * width));
    put_one(T((c > 0 ? 1 : 0) + (c == cases - 1 ? 2 : 0)));
  }
  const auto entries_there = to_device(exec, entries), apart_there = to_device(exec, apart);
  const auto table_there = to_device(exec, table), clean_there = to_device(exec, clean);
  const auto ordinals_there = to_device(exec, ordinals);
  const auto numbers_there = to_device(exec, numbers);
  const auto results = to_device(exec, std::vector<T>(expected.size(), untouched));
  backends::launch_simd<backends::Shape<1>>(
      exec, "heddle::test::every_word", cases,
      Words{entries_there.data(), apart_there.data(), table_there.data(), ordinals_there.data(),
            numbers_there.data(), clean_there.data(), results.data()},
      simd);
  const std::vector<T> seen = to_host(exec, results);
  std::size_t right = 0;
  while (right < seen.size() && seen[right] == expected[right]) ++right;
  CAPTURE(right % Words::results_per_case / width);  // the number of the word
  CAPTURE(right / Words::results_per_case);          // the number of the mask
  CHECK(right == seen.size());
}

/// y = a + x[ordinals] for arrays of any length, with ordinals in any order.
template <class Exec, class T, class U>
struct AddGathered {
  using Scratch = backends::NoScratch;
  const U* a;
  const U* x;
  const std::int32_t* ordinals;
  T* y;
  std::int64_t size;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, T>;
    const std::int64_t place = (team.index() * team.threads + team.thread()) * Pack::width;
    const auto exists = Pack::Mask::first(size - place);
    const Pack sum =
        Pack::add(Pack::load(a + place, exists), Pack::gather(x, ordinals + place, exists, 2));
    Pack::store(y + place, sum, exists);
  }
};

/// Checks AddGathered with entries of U that are summed as T.
template <class T, class U, class Exec>
void check_addition(const Exec& exec, std::int64_t size, Simd simd) {
  CAPTURE(size);
  std::vector<U> a, x(2 * static_cast<std::size_t>(size), not_a_number<U>());
  std::vector<std::int32_t> ordinals;
  std::vector<T> expected;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto from = static_cast<std::size_t>(i * 7 % size);
    a.push_back(whole_number<U>(static_cast<int>(i % 1000)));
    ordinals.push_back(static_cast<std::int32_t>(from));
    x[2 * from] = whole_number<U>(static_cast<int>(i % 900));
    expected.push_back(T(a.back()) + T(x[2 * from]));
  }
  const T untouched(-7);
  const auto y = to_device(exec, std::vector<T>(static_cast<std::size_t>(size) + 16, untouched));
  expected.resize(expected.size() + 16, untouched);
  const auto a_there = to_device(exec, a), x_there = to_device(exec, x);
  const auto ordinals_there = to_device(exec, ordinals);
  using Shape = backends::Shape<1, 128>;
  const std::int64_t rows_per_team =
      backends::Team<Exec, Shape>::threads * backends::Pack<Exec, T>::width;
  backends::launch_simd<Shape>(exec, "heddle::test::add_gathered",
                               (size + rows_per_team - 1) / rows_per_team,
                               AddGathered<Exec, T, U>{a_there.data(), x_there.data(),
                                                       ordinals_there.data(), y.data(), size},
                               simd);
  CHECK((to_host(exec, y) == expected));
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("packs: every word under every mask", Type, every_word) {
  const typename Type::Exec exec;
  for (const Simd simd : backends::every_simd) {
    if (!backends::supports(simd)) continue;
    CAPTURE(backends::name(simd));
    check_every_word<typename Type::Exec, typename Type::Scalar>(exec, simd);
  }
}
TEST_CASE_TEMPLATE_APPLY(every_word, PackTypes);

TEST_CASE_TEMPLATE_DEFINE("packs: a kernel over arrays of any length", Type, addition) {
  using T = typename Type::Scalar;
  const typename Type::Exec exec;
  for (const Simd simd : backends::every_simd) {
    if (!backends::supports(simd)) continue;
    CAPTURE(backends::name(simd));
    for (const std::int64_t size : {0, 1, 2, 3, 4, 5, 8, 9, 31, 129, 100003}) {
      check_addition<T, T>(exec, size, simd);
    }
    using Single = std::conditional_t<is_complex<T>, Kokkos::complex<float>, float>;
    using Double = std::conditional_t<is_complex<T>, Kokkos::complex<double>, double>;
    check_addition<Double, Single>(exec, 1003, simd);
    check_addition<Double, float>(exec, 1003, simd);
  }
}
TEST_CASE_TEMPLATE_APPLY(addition, PackTypes);

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
TEST_CASE_TEMPLATE_APPLY(pack_entries, PackTypes);

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
