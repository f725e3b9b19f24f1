// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../backends/launch.hpp"
#include "../../formats/csr/share_search.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace heddle::test {

namespace {

/// The first row of each share, and the end of the last one, as subwarps of a width find them.
template <class O, class Off>
struct FindKernel {
  using Scratch = backends::NoScratch;
  heddle::detail::csr::ShareSearch search;
  const Off* row_ptr;
  O rows;
  O* first;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t share = team.index() * Team::subwarps + team.subwarp_index();
    if (share > search.shares(rows)) return;
    const auto subwarp = team.subwarp();
    const O row = search.first_row(subwarp, row_ptr, rows, share);
    if (subwarp.lane() == 0) first[share] = row;
  }
};

template <class T, int Width>
void check_search(const Pattern& pattern) {
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  const auto host = make_matrix<double, O, Off>(pattern);
  const auto A = host.template copy_to<typename T::Space>(exec);
  const std::int64_t rows = host.rows();
  for (const std::int64_t work : {1, 3, 64, 1000, 100000}) {
    if (work == 1 && rows + pattern.nonzeros() > 40000) continue;
    for (const int row_steps : {1, 8}) {
      const heddle::detail::csr::ShareSearch search{pattern.nonzeros(), work, row_steps};
      const std::int64_t shares = search.shares(rows);
      const Kokkos::View<O*, typename T::Space> first("heddle::test::first",
                                                      static_cast<std::size_t>(shares + 1));
      using Shape = backends::Shape<Width, 64>;
      constexpr int per_team = backends::has_lanes<typename T::Exec> ? 64 / Width : 1;
      backends::launch<Shape>(
          exec, "heddle::test::find", ceil_div<std::int64_t>(shares + 1, per_team),
          FindKernel<O, Off>{search, A.matrix().row_ptr().data(), A.matrix().rows(), first.data()});
      const auto found = to_host(first);
      std::int64_t row = 0, wrong = 0;
      for (std::int64_t share = 0; share <= shares; ++share) {
        const auto begins = [&] {
          return row * row_steps + static_cast<std::int64_t>(host.row_ptr()(row));
        };
        while (row < rows && (share == shares || begins() < share * work)) ++row;
        wrong += found(static_cast<std::size_t>(share)) != static_cast<O>(row);
      }
      CHECK_MESSAGE(wrong == 0, pattern.name, ", width ", Width, ", work ", work);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("lanes that search find the rows that begin in each share", T,
                          share_search) {
  constexpr int widest = backends::max_subwarp_width<typename T::Exec>;
  for (const Pattern& pattern : test_patterns()) {
    check_search<T, widest>(pattern);
    if constexpr (widest > 1) check_search<T, 2>(pattern);
  }
}
TEST_CASE_TEMPLATE_APPLY(share_search, Every<std::tuple<double>>);

}  // namespace heddle::test
