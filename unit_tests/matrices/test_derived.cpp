// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes, sorted rows, sums, parts, submatrices, assembly and matrices of dense blocks, against
// plain ones on the host, and with new values.
#include "../../formats/plan/core_definitions.hpp"
#include "../../testing/events.hpp"
#include "matrices/support.hpp"
#include "support/copy_in.hpp"

namespace heddle::test {

namespace {

/// The test patterns, and square ones whose rows are full or empty, repeat entries and descend.
std::vector<Pattern> derived_patterns() {
  std::vector<Pattern> all = test_patterns();
  const Pattern square = random_pattern("square, a full row", 3, 132, 132, [](std::int64_t i) {
    return i == 64 ? 132 : i % 3 == 0 ? 0 : i % 11;
  });
  all.push_back(square);
  const auto add = [&](const char* name, const auto& change) {
    all.push_back(with_rows_changed(square, change));
    all.back().name = name;
  };
  using Row = std::vector<std::int64_t>;
  const auto repeat = [](Row& row) {
    for (std::size_t k = row.size(); k-- > 0;) {
      if (k % 3 != 1) row.insert(row.begin() + static_cast<std::ptrdiff_t>(k), k % 4, row[k]);
    }
  };
  add("square, ascending with repeats", repeat);
  add("square, one row descends", [](Row& row) {
    if (row.size() == 132) std::ranges::reverse(row);
  });
  add("square, descending with repeats", [&](Row& row) {
    repeat(row);
    std::ranges::reverse(row);
  });
  return all;
}

/// Derives a matrix from A and updates it to B: it must be `expected` of each, launched quietly.
template <class T, class Derived, class Expected>
void check_derived(const typename T::Exec& exec, const DeviceMatrix<T>& A, const DeviceMatrix<T>& B,
                   Derived derived, const Expected& expected) {
  exec.fence("heddle::test::derived");
  const bool first = written_down(derived.matrix()) == expected(written_down(A.host.matrix()));
  CHECK(first);
  only_launches(exec, [&] { derived.update_values(exec, B.matrix()); });
  const bool second = written_down(derived.matrix()) == expected(written_down(B.host.matrix()));
  CHECK(second);
}

template <class S, class Keep>
HostMatrix<S> kept(HostMatrix<S> A, const Keep& keep) {
  for (std::size_t i = 0; i < A.rows.size(); ++i) {
    std::erase_if(A.rows[i], [&](const auto& entry) {
      return !keep(static_cast<std::int64_t>(i), entry.first, entry.second);
    });
  }
  return sorted(A);
}

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

TEST_CASE_TEMPLATE_DEFINE("matrices derived from one are made as by hand, and again", T, derived) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  const typename T::Exec exec;
  for (const Pattern& pattern : derived_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern), B = to_device<T>(exec, pattern, 2);
    using Host = HostMatrix<S>;
    for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
      CAPTURE(name(op));
      check_derived<T>(exec, A, B, transpose(exec, A.matrix(), op),
                       [&](const Host& H) { return sorted(with_op(H, op)); });
    }
    check_derived<T>(exec, A, B, sort_rows(exec, A.matrix()),
                     [](const Host& H) { return sorted(H); });
    check_derived<T>(exec, A, B, add_up_repeats(exec, A.matrix()),
                     [](const Host& H) { return added_up(H); });
    for (const MatrixPart part :
         {MatrixPart::lower, MatrixPart::strictly_lower, MatrixPart::diagonal,
          MatrixPart::strictly_upper, MatrixPart::upper}) {
      check_derived<T>(exec, A, B, part_of(exec, A.matrix(), part), [&](const Host& H) {
        return kept(H, [&](std::int64_t i, std::int64_t j, S) {
          if (part == MatrixPart::diagonal) return i == j;
          if (part == MatrixPart::lower) return j <= i;
          if (part == MatrixPart::strictly_lower) return j < i;
          return part == MatrixPart::upper ? j >= i : j > i;
        });
      });
    }
    for (const bool all : {true, false}) {
      Random random(static_cast<std::uint64_t>(A.host.rows()) + 3);
      auto rows = shuffled<O>(A.host.rows(), random),
           columns = shuffled<O>(A.host.columns(), random);
      if (!all) {
        rows.resize(rows.size() / 3);
        columns.resize(columns.size() / 3);
      }
      const auto on_device = [](const std::vector<O>& list) {
        return copy_in<typename T::Space>(list);
      };
      const auto expected = [&](const Host& H) { return picked(H, rows, columns); };
      if (all) {
        check_derived<T>(exec, A, B, permute(exec, A.matrix(), on_device(rows), on_device(columns)),
                         expected);
      } else {
        check_derived<T>(
            exec, A, B, submatrix(exec, A.matrix(), on_device(rows), on_device(columns)), expected);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(derived, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("sums: an entry wherever one of both has one", T, sums) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const std::vector<Pattern> patterns = derived_patterns();
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    const Pattern& pattern = patterns[p];
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern), B = to_device<T>(exec, pattern, 2);
    const Pattern other = random_pattern("other", 5 + p, A.host.rows(), A.host.columns(),
                                         [](std::int64_t i) { return i % 4; });
    const auto C = to_device<T>(exec, other, 3);
    const auto a = written_down(A.host.matrix()), b = written_down(B.host.matrix()),
               c = written_down(C.host.matrix());
    auto sum = add(exec, S(2), A.matrix(), S(-3), C.matrix());
    exec.fence("heddle::test::sum");
    CHECK((written_down(sum.matrix()) == summed(S(2), a, S(-3), c)));
    const auto exchanged = add(exec, S(-3), C.matrix(), S(2), A.matrix());
    exec.fence("heddle::test::sum");
    CHECK((written_down(exchanged.matrix()) == written_down(sum.matrix())));
    const auto twice = add(exec, S(0), A.matrix(), S(2), B.matrix());
    exec.fence("heddle::test::sum");
    CHECK((written_down(twice.matrix()) == summed(S(0), a, S(2), b)));
    only_launches(exec, [&] { sum.update_values(exec, B.matrix(), C.matrix()); });
    CHECK((written_down(sum.matrix()) == summed(S(2), b, S(-3), c)));
    sum.update_values(exec, S(0), A.matrix(), S(1), C.matrix());
    exec.fence("heddle::test::sum");
    CHECK((written_down(sum.matrix()) == summed(S(0), a, S(1), c)));
    if (A.host.rows() != A.host.columns()) {
      CHECK(mentions(error_of([&] { symmetric_part(exec, A.matrix()); }),
                     "give matrices of one shape"));
      CHECK(!is_symmetric(exec, A.matrix()));
      continue;
    }
    for (const Symmetry symmetry : {Symmetry::symmetric, Symmetry::hermitian}) {
      const Op op = symmetry == Symmetry::hermitian ? Op::conjugate_transpose : Op::transpose;
      check_derived<T>(
          exec, A, B, symmetric_part(exec, A.matrix(), symmetry),
          [&](const HostMatrix<S>& H) { return summed(S(0.5), H, S(0.5), transposed(H, op)); });
      const auto part = symmetric_part(exec, A.matrix(), symmetry);
      CHECK(is_symmetric(exec, part.matrix(), 0, symmetry));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(sums, MatrixTypes);

TEST_CASE("sums: new factors are those of all handles, and both matrices are needed") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  auto A = to_device<T>(exec, Pattern{"one", 1, {{0}}});
  Kokkos::deep_copy(A.device.values(), 1.0);
  auto sum = add(exec, 1, A.matrix(), 1, A.matrix());
  auto copy = sum;
  const auto value = [&](const auto& of) { return written_down(of.matrix()).rows[0][0].second; };
  sum.update_values(exec, 10, A.matrix(), 2, A.matrix());
  CHECK(value(sum) == 12);
  copy.update_values(exec, A.matrix(), A.matrix());
  CHECK(value(sum) == 12);
  CHECK(value(copy) == 12);
  CHECK(mentions(error_of([&] { sum.update_values(exec, A.matrix()); }),
                 "a sum of two matrices was given new values of one; give both"));
  CHECK(mentions(error_of([&] { sum.update_values(exec, A.matrix().values()); }), "two matrices"));
  const DeviceMatrix<T> two = to_device<T>(exec, Pattern{"two", 2, {{0, 1}, {}}});
  CHECK(mentions(error_of([&] { sum.update_values(exec, 5, A.matrix(), 5, two.matrix()); }),
                 "there are 2 new values"));
  sum.update_values(exec, A.matrix(), A.matrix());
  CHECK(value(sum) == 12);  // the call that failed took no values
  auto part = symmetric_part(exec, A.matrix());
  Kokkos::deep_copy(A.device.values(), 3.0);
  part.update_values(exec, A.matrix().values());
  CHECK(value(part) == 3);
}

TEST_CASE_TEMPLATE_DEFINE("blocks are made of entries, and entries of blocks", T, blocks) {
  const typename T::Exec exec;
  for (const Pattern& pattern : derived_patterns()) {
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

  CHECK(mentions(error_of([&] { Blocks(Blocks::Pattern(3, 2, row_ptr, col_idx), 0, values); }),
                 "block_size is 0"));
  CHECK(mentions(error_of([&] { Blocks(Blocks::Pattern(3, 2, row_ptr, col_idx), 3, values); }),
                 "4 blocks of 3 x 3 have 16 values"));
  CHECK(mentions(error_of([&] {
                   from_blocks(exec, Blocks(Blocks::Pattern(3, 1, row_ptr, col_idx), 2, values));
                 }),
                 "row 0"));
  CHECK(mentions(error_of([&] { to_blocks(exec, A.matrix(), 4); }),
                 "block_size is 4, and A is 6 x 4"));
  CHECK(mentions(error_of([&] { to_blocks(exec, A.matrix(), 0); }), "block_size is 0"));
  CHECK(to_blocks(exec, A.matrix(), 2).bytes() > 12 * sizeof(double));
  const Kokkos::View<std::int32_t*, T::Space> no_entries("no_entries", 46342);
  const CsrMatrix<double, std::int32_t, std::int32_t, T::Space> large(
      46341, 46341, 0, no_entries.data(), nullptr, nullptr);
  CHECK(mentions(error_of([&] { to_blocks(exec, large, 46341); }),
                 "block_size is 46341, whose square exceeds 32 bits"));
}

TEST_CASE("a temporary has no matrix, since nobody owns its arrays") {
  using Device = DefaultDevice;
  using Space = Device::memory_space;
  using Matrix = CsrMatrix<double, int, int, Space>;
  const auto lends = []<class Owner>(std::type_identity<Owner>) {
    static_assert(requires(const Owner& named) { named.matrix(); });
    return requires(Owner made) { std::move(made).matrix(); };
  };
  CHECK_FALSE(lends(std::type_identity<CsrStorage<double, int, int, Space>>()));
  CHECK_FALSE(lends(std::type_identity<DerivedCsr<Device, double, int, int>>()));
  CHECK_FALSE(lends(std::type_identity<BlockedCsr<Device, double, int, int>>()));
  CHECK_FALSE(lends(std::type_identity<MultiplyPlan<Device, Matrix>>()));
  CHECK_FALSE(lends(std::type_identity<GalerkinPlan<Device, Matrix>>()));
  // The storage of a result owns its arrays.
  const DefaultDevice exec;
  const auto I = identity<double>(exec, 3);
  const auto& stored = transpose(exec, I.matrix()).storage();
  exec.fence("heddle::test::stored");
  CHECK((written_down(stored.matrix()) == written_down(I.matrix())));
}

TEST_CASE_TEMPLATE_DEFINE("what is counted by entries is what rows have", T, counts) {
  const typename T::Exec exec;
  std::vector<Pattern> patterns = test_patterns();
  patterns.push_back(random_pattern("a long row among empty ones", 5, 300, 7000, [](auto i) {
    return i == 150 ? 7000 : i % 100 == 0 ? 3 : 0;
  }));
  for (const Pattern& pattern : patterns) {
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern);
    std::int64_t lower = 0, upper = 0, descents = 0, repeats = 0, i = 0;
    for (const auto row : pattern.rows) {
      std::int64_t before = -1;
      for (const std::int64_t j : row) {
        lower += j < i;
        upper += j > i;
        descents += j < before;
        repeats += j == before;
        before = j;
      }
      ++i;
    }
    using Descents = heddle::detail::CountDescents<typename T::Ordinal, typename T::Offset>;
    const auto found = [&](bool strict) {
      const auto M = A.matrix();
      return heddle::detail::sum_entries<std::int64_t>(
          exec, "heddle::test::descents", M.row_ptr().data(), M.rows(), pattern.nonzeros(),
          Descents{M.row_ptr().data(), M.col_idx().data(), strict});
    };
    CHECK(found(false) == descents);
    CHECK(found(true) == descents + repeats);
    if (i != pattern.columns) continue;
    const auto sums = heddle::detail::triangle_sums(exec, A.matrix(), Symmetry::symmetric, false);
    CHECK(sums.lower == lower);
    CHECK(sums.upper == upper);
  }
}
TEST_CASE_TEMPLATE_APPLY(counts, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("assembly: triplets in any order, with repeats", T, assembly) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  for (const std::int64_t count : {0, 1, 700, 20000}) {
    const std::int64_t rows = 90, columns = 60;
    Random random(11);
    Triplets<S, O> triplets{rows, columns, {}, {}, {}};
    for (std::int64_t k = 0; k < cut(count); ++k) {
      triplets.rows.push_back(static_cast<O>(random.below(rows - 1)));  // the last row stays empty
      triplets.columns.push_back(static_cast<O>(random.below(columns)));
      triplets.values.push_back(random.scalar<S>());
    }
    CHECK(wrong_assembly<T>(exec, triplets, 1) == "");
    CHECK(wrong_assembly<T>(exec, triplets, 3) == "");
    const auto on_device = [](const auto& list) { return copy_in<typename T::Space>(list); };
    const auto assemble_all = [&] {
      return assemble<Off>(exec, rows, columns, on_device(triplets.rows),
                           on_device(triplets.columns), on_device(triplets.values));
    };
    auto A = assemble_all();
    const auto values = on_device(triplets.values);
    only_launches(exec, [&] { A.update_values(exec, values); });
    if (count < 700) continue;
    triplets.rows[50] = static_cast<O>(rows);
    CHECK(mentions(error_of(assemble_all), "entry 50: row 90, column "));
    CHECK(mentions(error_of([&] { A.update_values(exec, on_device(std::vector<S>(3))); }),
                   "there are 3 new values for a matrix derived from"));
  }
}
TEST_CASE_TEMPLATE_APPLY(assembly, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("Views with a stride are read and written where they lie", T, strided) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Space = typename T::Space;
  const typename T::Exec exec;
  constexpr std::size_t n = 3;
  const Kokkos::View<S**, Kokkos::LayoutRight, Space> table("table", n, 2);
  const Kokkos::View<O**, Kokkos::LayoutRight, Space> places("places", n, 2);
  const auto values = Kokkos::subview(table, Kokkos::ALL, 0);
  const auto rows = Kokkos::subview(places, Kokkos::ALL, 0);
  const auto fill = [&](double first) {
    const auto host = Kokkos::create_mirror_view(table);
    for (std::size_t i = 0; i < n; ++i) {
      host(i, 0) = S(static_cast<RealOf<S>>(first + static_cast<double>(i)));
      host(i, 1) = S(-100);
    }
    Kokkos::deep_copy(table, host);
  };
  const auto diagonal_of = [&](const auto& M, double first) {
    HostMatrix<S> expected{n, {}};
    for (std::size_t i = 0; i < n; ++i) {
      expected.rows.push_back({{static_cast<std::int64_t>(i),
                                S(static_cast<RealOf<S>>(first + static_cast<double>(i)))}});
    }
    exec.fence("heddle::test::strided");
    return written_down(M) == expected;
  };
  const auto I = identity<S, O, typename T::Offset>(exec, n);
  Kokkos::deep_copy(places, O(-7));
  row_of_entries(exec, I.matrix(), rows);
  exec.fence("heddle::test::strided");
  const auto larger = identity<S, O, typename T::Offset>(exec, n + 1);
  CHECK(mentions(error_of([&] { row_of_entries(exec, larger.matrix(), rows); }),
                 "row_of has 3 elements, and the matrix 4 entries"));
  const auto written = to_host(places);
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(written(i, 0) == static_cast<O>(i));
    CHECK(written(i, 1) == -7);
  }
  fill(1);
  auto A = assemble<typename T::Offset>(exec, n, n, rows, rows, values);
  CHECK(diagonal_of(A.matrix(), 1));
  fill(5);
  A.update_values(exec, values);
  CHECK(diagonal_of(A.matrix(), 5));
  auto blocks = to_blocks(exec, A.matrix(), 1);
  auto B = from_blocks(exec, blocks.matrix());
  fill(9);
  B.update_values(exec, values);
  CHECK(diagonal_of(B.matrix(), 9));
  auto part = symmetric_part(exec, A.matrix());
  part.update_values(exec, values);
  CHECK(diagonal_of(part.matrix(), 9));
}
TEST_CASE_TEMPLATE_APPLY(strided, MatrixTypes);

TEST_CASE("wrong input: errors say where") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  auto A = to_device<T>(exec, Pattern{"small", 4, {{0, 3}, {1, 2}, {}, {2}}});
  const auto wrong =
      CsrMatrix(4, 3, A.matrix().row_ptr(), A.matrix().col_idx(), A.matrix().values());
  CHECK(mentions(error_of([&] { transpose(exec, wrong); }), "row 0, entry 1: column 3"));
  CHECK(mentions(error_of([&] { add(exec, 1, A.matrix(), 1, wrong); }), "one shape"));
  const auto list = [](std::vector<int> places) {
    return copy_in<DefaultDevice::memory_space>(places);
  };
  CHECK(mentions(error_of([&] { submatrix(exec, A.matrix(), list({0, 1, 0}), list({1})); }),
                 "entry 0 of the list of rows is listed again later"));
  CHECK(mentions(error_of([&] { submatrix(exec, A.matrix(), list({0}), list({1, 4})); }),
                 "entry 1 of the list of columns is out of range"));
  CHECK(mentions(error_of([&] { permute(exec, A.matrix(), list({0, 1, 2})); }),
                 "the permutation has 3 rows, and A has 4"));
  const auto values = copy_in<DefaultDevice::memory_space>(std::vector<double>{1, 2});
  CHECK(mentions(error_of([&] { assemble(exec, 4, 4, list({0}), list({1, 2, 3}), values); }),
                 "triplets have 1 rows, 3 columns and 2 values"));
}

}  // namespace heddle::test
