// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of dense blocks, from and to entries, against plain ones on the host, and with new
// values.
#include "../../testing/events.hpp"
#include "matrices/support.hpp"
#include "support/copy_in.hpp"

namespace heddle::test {

namespace {

/// The matrix without the last rows and columns that fill no block.
template <class T>
DeviceMatrix<T> of_whole_blocks(const typename T::Exec& exec, const Pattern& pattern, int size,
                                std::uint64_t seed) {
  Pattern whole{pattern.name, pattern.columns / size * size, {}};
  std::int64_t left = std::ssize(pattern.rows) / size * size;
  for (const auto row : pattern.rows) {
    if (left-- == 0) break;
    std::vector<std::int64_t> kept(row.begin(), row.end());
    std::erase_if(kept, [&](std::int64_t j) { return j >= whole.columns; });
    whole.rows.push_back(kept);
  }
  return to_device<T>(exec, whole, seed);
}

/// Blocks as a map; each block is row-major.
template <class S>
std::map<std::pair<std::int64_t, std::int64_t>, std::vector<S>> blocks_of(const HostMatrix<S>& A,
                                                                          std::int64_t size) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<S>> blocks;
  for (std::int64_t i = 0; i < std::ssize(A.rows); ++i) {
    for (const auto& [j, value] : A.rows[static_cast<std::size_t>(i)]) {
      auto& block = blocks[{i / size, j / size}];
      block.resize(static_cast<std::size_t>(size * size));
      block[static_cast<std::size_t>(i % size * size + j % size)] += value;
    }
  }
  return blocks;
}

template <class Blocks>
auto written_down_blocks(const Blocks& B) {
  using S = typename Blocks::scalar_type;
  const auto row_ptr = to_host(B.blocks().row_ptr());
  const auto col_idx = to_host(B.blocks().col_idx());
  const auto values = to_host(B.values());
  const auto places = static_cast<std::size_t>(B.block_size()) * B.block_size();
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<S>> blocks;
  for (std::size_t i = 0; i < static_cast<std::size_t>(B.blocks().rows()); ++i) {
    for (auto k = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(k, row_ptr(i + 1)); ++k) {
      blocks[{static_cast<std::int64_t>(i), static_cast<std::int64_t>(col_idx(k))}] =
          std::vector<S>(values.data() + k * places, values.data() + (k + 1) * places);
    }
  }
  return blocks;
}

/// The entries of blocks, zeros included.
template <class S>
HostMatrix<S> entries_of(const std::map<std::pair<std::int64_t, std::int64_t>, std::vector<S>>& B,
                         std::int64_t rows, std::int64_t columns, std::int64_t size) {
  HostMatrix<S> A{columns, {}};
  A.rows.resize(static_cast<std::size_t>(rows));
  for (const auto& [at, block] : B) {
    for (std::int64_t p = 0; p < size * size; ++p) {
      A.rows[static_cast<std::size_t>(at.first * size + p / size)].emplace_back(
          at.second * size + p % size, block[static_cast<std::size_t>(p)]);
    }
  }
  return A;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("blocks are made of entries, and entries of blocks", T, blocks) {
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    CAPTURE(pattern.name);
    for (const int size : {1, 3, 4}) {
      CAPTURE(size);
      const auto A = of_whole_blocks<T>(exec, pattern, size, 1),
                 A2 = of_whole_blocks<T>(exec, pattern, size, 2);
      const auto first = blocks_of(written_down(A.host.matrix()), size),
                 second = blocks_of(written_down(A2.host.matrix()), size);
      auto B = to_blocks(exec, A.matrix(), size);
      CHECK(B.blocks() == std::ssize(first));
      CHECK((written_down_blocks(B.matrix()) == first));
      const auto entries = [&](const auto& of) {
        return entries_of(of, A.host.rows(), A.host.columns(), size);
      };
      auto C = from_blocks(exec, B.matrix());
      CHECK(C.rows() == A.host.rows());
      CHECK((written_down(C.matrix()) == entries(first)));
      only_launches(exec, [&] {
        B.update_values(exec, A2.matrix());
        C.update_values(exec, B.values());
      });
      CHECK((written_down_blocks(B.matrix()) == second));
      CHECK((written_down(C.matrix()) == entries(second)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(blocks, MatrixTypes);

TEST_CASE("blocks in any order, some of them twice") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  const auto row_ptr = copy_in<T::Space>(std::vector<std::int32_t>{0, 3, 3, 4});
  const auto col_idx = copy_in<T::Space>(std::vector<std::int32_t>{1, 0, 1, 0});
  std::vector<double> numbers(16);
  for (std::size_t i = 0; i < 16; ++i) numbers[i] = static_cast<double>(i + 1);
  const auto values = copy_in<T::Space>(numbers);
  using Blocks = BlockMatrix<double, std::int32_t, std::int32_t, T::Space>;
  const Blocks B(Blocks::Pattern(3, 2, row_ptr, col_idx), 2, values);
  CHECK(B.rows() == 6);
  CHECK(B.columns() == 4);
  const auto A = from_blocks(exec, B);
  using Row = HostRow<double>;
  const HostMatrix<double> expected{4,
                                    {Row{{2, 1}, {3, 2}, {0, 5}, {1, 6}, {2, 9}, {3, 10}},
                                     Row{{2, 3}, {3, 4}, {0, 7}, {1, 8}, {2, 11}, {3, 12}}, Row{},
                                     Row{}, Row{{0, 13}, {1, 14}}, Row{{0, 15}, {1, 16}}}};
  CHECK((written_down(A.matrix()) == expected));

  CHECK(says(error_of([&] { Blocks(Blocks::Pattern(3, 2, row_ptr, col_idx), 0, values); }),
             "block_size is 0"));
  CHECK(says(error_of([&] { Blocks(Blocks::Pattern(3, 2, row_ptr, col_idx), 3, values); }),
             "4 blocks of 3 x 3 have 16 values"));
  CHECK(says(error_of([&] {
               from_blocks(exec, Blocks(Blocks::Pattern(3, 1, row_ptr, col_idx), 2, values));
             }),
             "row 0"));
  CHECK(says(error_of([&] { to_blocks(exec, A.matrix(), 4); }), "block_size is 4, and A is 6 x 4"));
  CHECK(says(error_of([&] { to_blocks(exec, A.matrix(), 0); }), "block_size is 0"));
  CHECK(to_blocks(exec, A.matrix(), 2).bytes() > 12 * sizeof(double));
  const Kokkos::View<std::int32_t*, T::Space> no_entries("no_entries", 46342);
  const CsrMatrix<double, std::int32_t, std::int32_t, T::Space> large(
      46341, 46341, 0, no_entries.data(), nullptr, nullptr);
  CHECK(says(error_of([&] { to_blocks(exec, large, 46341); }),
             "block_size is 46341, whose square exceeds 32 bits"));
}

}  // namespace heddle::test
