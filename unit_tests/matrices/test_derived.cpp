// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes, sorted rows, sums, parts, submatrices and assembly, against plain ones on the host,
// and with new values.
#include "../../formats/plan/core_definitions.hpp"
#include "../../testing/events.hpp"
#include "matrices/support.hpp"
#include "support/copy_in.hpp"

namespace heddle::test {

namespace {

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

/// Every third of n numbers in an order that jumps; all of them if `all`.
template <class O>
std::vector<O> jumping(std::int64_t n, bool all) {
  std::vector<O> list;
  for (std::int64_t i = 0; i < n; ++i) list.push_back(static_cast<O>(i));
  Random random(static_cast<std::uint64_t>(n) + 3);
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<std::size_t>(random.below(std::ssize(list))) % i]);
  }
  if (!all) list.resize(list.size() / 3);
  return list;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("matrices derived from one are made as by hand, and again", T, derived) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern), B = to_device<T>(exec, pattern, 2);
    using Host = HostMatrix<S>;
    for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
      CAPTURE(name(op));
      check_derived<T>(exec, A, B, transpose(exec, A.matrix(), op), [&](const Host& H) {
        if (transposes(op)) return transposed(H, op);
        return sorted(transposed(transposed(H, without_transpose(op)), Op::transpose));
      });
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
      const auto rows = jumping<O>(A.host.rows(), all), columns = jumping<O>(A.host.columns(), all);
      const auto on_device = [](const std::vector<O>& list) {
        return copy_in<typename T::Space>(list);
      };
      const auto expected = [&](const Host& H) {
        std::map<std::int64_t, std::int64_t> to;
        for (std::size_t j = 0; j < columns.size(); ++j) to[columns[j]] = static_cast<int>(j);
        Host part{std::ssize(columns), {}};
        for (const O i : rows) {
          HostRow<S> row;
          for (const auto& [j, value] : H.rows[static_cast<std::size_t>(i)]) {
            if (to.contains(j)) row.emplace_back(to[j], value);
          }
          part.rows.push_back(std::move(row));
        }
        return sorted(part);
      };
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
  const std::vector<Pattern> patterns = test_patterns();
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
    only_launches(exec, [&] { sum.update_values(exec, B.matrix(), C.matrix()); });
    CHECK((written_down(sum.matrix()) == summed(S(2), b, S(-3), c)));
    sum.update_values(exec, S(0), A.matrix(), S(1), C.matrix());
    exec.fence("heddle::test::sum");
    CHECK((written_down(sum.matrix()) == summed(S(0), a, S(1), c)));
    if (A.host.rows() != A.host.columns()) {
      CHECK(
          says(error_of([&] { symmetric_part(exec, A.matrix()); }), "give matrices of one shape"));
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
  CHECK(says(error_of([&] { sum.update_values(exec, A.matrix()); }),
             "a sum of two matrices was given new values of one; give both"));
  CHECK(says(error_of([&] { sum.update_values(exec, A.matrix().values()); }), "two matrices"));
  const DeviceMatrix<T> two = to_device<T>(exec, Pattern{"two", 2, {{0, 1}, {}}});
  CHECK(says(error_of([&] { sum.update_values(exec, 5, A.matrix(), 5, two.matrix()); }),
             "there are 2 new values"));
  sum.update_values(exec, A.matrix(), A.matrix());
  CHECK(value(sum) == 12);  // the call that failed took no values
  auto part = symmetric_part(exec, A.matrix());
  Kokkos::deep_copy(A.device.values(), 3.0);
  part.update_values(exec, A.matrix().values());
  CHECK(value(part) == 3);
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
    std::vector<O> i, j;
    std::vector<S> values, others;
    HostMatrix<S> expected{columns, {}}, expected_others{columns, {}};
    expected.rows.resize(rows);
    expected_others.rows.resize(rows);
    for (std::int64_t k = 0; k < cut(count); ++k) {
      i.push_back(static_cast<O>(random.below(rows - 1)));  // the last row stays empty
      j.push_back(static_cast<O>(random.below(columns)));
      values.push_back(random.scalar<S>());
      others.push_back(random.scalar<S>());
      const auto row = static_cast<std::size_t>(i.back());
      expected.rows[row].emplace_back(j.back(), values.back());
      expected_others.rows[row].emplace_back(j.back(), others.back());
    }
    const auto on_device = [](const auto& list) { return copy_in<typename T::Space>(list); };
    const auto new_values = on_device(others);
    auto A = assemble<Off>(exec, rows, columns, on_device(i), on_device(j), on_device(values));
    exec.fence("heddle::test::assembled");
    CHECK((written_down(A.matrix()) == added_up(expected)));
    only_launches(exec, [&] { A.update_values(exec, new_values); });
    CHECK((written_down(A.matrix()) == added_up(expected_others)));
    const Kokkos::View<O*, typename T::Space> row_of("rows", A.nonzeros());
    row_of_entries(exec, A.matrix(), row_of);
    auto again =
        assemble<Off>(exec, rows, columns, row_of, A.matrix().col_idx(), A.matrix().values());
    exec.fence("heddle::test::assembled");
    CHECK((written_down(again.matrix()) == added_up(expected_others)));
    if (count < 700) continue;
    i[50] = static_cast<O>(rows);
    const std::string error = error_of(
        [&] { assemble<Off>(exec, rows, columns, on_device(i), on_device(j), on_device(values)); });
    CHECK(says(error, "entry 50: row 90, column "));
    CHECK(says(error_of([&] { A.update_values(exec, on_device(std::vector<S>(3))); }),
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
  CHECK(says(error_of([&] { transpose(exec, wrong); }), "row 0, entry 1: column 3"));
  CHECK(says(error_of([&] { add(exec, 1, A.matrix(), 1, wrong); }), "one shape"));
  const auto list = [](std::vector<int> places) {
    return copy_in<DefaultDevice::memory_space>(places);
  };
  CHECK(says(error_of([&] { submatrix(exec, A.matrix(), list({0, 1, 0}), list({1})); }),
             "entry 0 of the list of rows is listed again later"));
  CHECK(says(error_of([&] { submatrix(exec, A.matrix(), list({0}), list({1, 4})); }),
             "entry 1 of the list of columns is out of range"));
  CHECK(says(error_of([&] { permute(exec, A.matrix(), list({0, 1, 2})); }),
             "the permutation has 3 rows, and A has 4"));
  const auto values = copy_in<DefaultDevice::memory_space>(std::vector<double>{1, 2});
  CHECK(says(error_of([&] { assemble(exec, 4, 4, list({0}), list({1, 2, 3}), values); }),
             "triplets have 1 rows, 3 columns and 2 values"));
}

}  // namespace heddle::test
