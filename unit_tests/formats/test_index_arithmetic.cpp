// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places where kernels read the entries of a matrix with more nonzeros and places than 32 bits
// count. test_many_nonzeros.cpp runs CSR on such a matrix; for formats that would copy it the
// arithmetic of kernels is tested as functions.
#include <doctest/doctest.h>

#include "../../formats/bcsr/view.hpp"
#include "../../formats/common/equal_work.hpp"
#include "../../formats/common/share.hpp"
#include "../../formats/coo/view.hpp"

namespace heddle::test {

namespace {

constexpr std::int64_t beyond = (std::int64_t{1} << 33) + 12345;

/// Number of elements from one pointer to another; neither need be valid.
template <class T>
std::int64_t distance(const T* from, const T* to) {
  return (reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from)) /
         static_cast<std::int64_t>(sizeof(T));
}

template <class T>
const T* nowhere() {
  return reinterpret_cast<const T*>(std::intptr_t{1} << 20);
}

}  // namespace

TEST_CASE("indices: a panel of BCSR begins at its block times the places of a block") {
  using Size = heddle::detail::bcsr::BlockSize<8, 8>;
  heddle::detail::bcsr::View<double, std::int32_t, std::int32_t, Size> narrow{};
  narrow.values = nowhere<double>();
  // 32 bits count the blocks, but not their places.
  constexpr std::int32_t block = 2000000000;
  CHECK(distance(narrow.values, narrow.values_from(block)) == std::int64_t{block} * 64);
  heddle::detail::bcsr::View<double, std::int32_t, std::int64_t, Size> wide{};
  wide.values = nowhere<double>();
  CHECK(distance(wide.values, wide.values_from(beyond)) == beyond * 64);
}

TEST_CASE("indices: COO counts its nonzeros from any") {
  using View = heddle::detail::coo::View<float, std::int32_t, std::int64_t, std::uint16_t>;
  const View all{nowhere<std::uint16_t>(), nowhere<std::int32_t>(), nowhere<float>()};
  const View rest = all.from(beyond);
  CHECK(distance(all.local_row, rest.local_row) == beyond);
  CHECK(distance(all.col_idx, rest.col_idx) == beyond);
  CHECK(distance(all.values, rest.values) == beyond);
}

TEST_CASE("indices: a share counts its nonzeros from an aligned one before its first") {
  using heddle::detail::Share;
  using heddle::detail::share_alignment;
  using Edge = heddle::detail::ShareEdge<std::int32_t, std::int64_t>;
  const Edge edges[] = {{beyond, 2000000000, -1}, {beyond + 700, 2000000009, -1}};
  const struct {
    const Edge* edges;
  } table{edges};
  const auto share = Share<std::int32_t, std::int64_t>::at(table, 0);
  CHECK(share.origin % share_alignment == 0);
  CHECK(share.origin + share.begin == beyond);
  CHECK(share.origin + share.end == beyond + 700);
  CHECK(share.first_row == 2000000000);
  CHECK(share.ended == 9);
  CHECK(share.rows == 9);

  const std::int64_t row_ptr[] = {beyond - 5, beyond, beyond + 300, beyond + 301};
  const auto rows = Share<std::int32_t, std::int64_t>::of_rows(row_ptr, 1, 3);
  CHECK(rows.origin + rows.begin == beyond);
  CHECK(rows.origin + rows.end == beyond + 301);
  CHECK(rows.rows == 2);

  // Just below 2^31, where an aligned end would not fit in 32 bits.
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
  const std::int32_t narrow[] = {last - 3, last};
  const auto end = Share<std::int32_t, std::int32_t>::of_rows(narrow, 0, 1);
  CHECK(end.origin <= last - 3);
  CHECK(end.end - end.begin == 3);
}

}  // namespace heddle::test
