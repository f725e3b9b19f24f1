// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/csb/inspect.hpp"
#include "../../formats/inspect/mirrored.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"
#include "../support/symmetric.hpp"

namespace heddle::test {

namespace {

Pattern triangle_of(const Pattern& pattern, bool lower) {
  std::int64_t i = 0;
  return with_rows_changed(pattern, [&](std::vector<std::int64_t>& row) {
    std::erase_if(row, [&](std::int64_t j) { return lower ? j > i : j < i; });
    ++i;
  });
}

/// A lower triangle of scattered entries; some of its blocks of 256 x 256 are nearly full, also
/// some of a heavy block row.
Pattern blocks_of_every_weight() {
  if (emulated) {
    return random_pattern("blocks of every weight", 7, 600, 600, [](std::int64_t i) {
      return i / 32 == 17 ? 500 : i / 32 == 9 ? 150 : 1 + i % 5;
    });
  }
  return random_pattern("blocks of every weight", 7, 3000, 3000, [](std::int64_t i) {
    return i / 256 == 8 ? 2000 : i / 128 == 5 ? 1200 : 1 + i % 5;
  });
}

std::vector<Pattern> square_patterns() {
  std::vector<Pattern> patterns{pattern_named("0 x 0"), pattern_named("1 x 1"),
                                pattern_named("unsorted columns with duplicates"),
                                blocks_of_every_weight()};
  for (Pattern& pattern : patterns) {
    pattern.columns = static_cast<std::int64_t>(pattern.rows.size());
    pattern = with_rows_changed(pattern, [&](std::vector<std::int64_t>& row) {
      std::erase_if(row, [&](std::int64_t j) { return j >= pattern.columns; });
    });
  }
  return patterns;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("triangles: one stands for both, mirrored by the plan or swept by csb", T,
                          triangles) {
  using S = typename T::Scalar;
  using D = DeviceMatrix<T>;
  const typename T::Exec exec;
  std::vector<Pattern> patterns = square_patterns();
  if (!emulated) {
    for (const char* name : {"tridiagonal", "power law"}) patterns.push_back(pattern_named(name));
  }
  // Schemes, and the numbers of vectors that plans expect.
  const std::pair<const char*, int> schemes[] = {{"", 1},
                                                 {"csr/adaptive", 1},
                                                 {"coo", 1},
                                                 {"csb/beta=256", 1},
                                                 {"csb/beta=256,sweep=two", 4},
                                                 {"csb/beta=256,sweep=atomics", 4},
                                                 {"csb/beta=65536", 1}};
  int turn = 0;
  for (const Pattern& pattern : patterns) {
    for (const Symmetry symmetry : {Symmetry::symmetric, Symmetry::hermitian}) {
      for (const bool lower : {true, false}) {
        CAPTURE(pattern.name);
        CAPTURE(name(symmetry));
        CAPTURE(lower);
        const auto half =
            make_matrix<S, typename D::O, typename D::Off>(triangle_of(pattern, lower), 1);
        const auto other =
            make_matrix<S, typename D::O, typename D::Off>(triangle_of(pattern, lower), 2);
        const auto full = to_device<T>(exec, pattern.name, both_triangles<D>(half, symmetry));
        const auto updated = to_device<T>(exec, pattern.name, both_triangles<D>(other, symmetry));
        const auto stored = to_device<T>(exec, pattern.name, half);
        const auto new_values = to_device<T>(exec, pattern.name, other);
        std::vector<CheckedProduct<T>> products;
        for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
          products.emplace_back(full, op, S(2), S(-1));
          if (!emulated || op == Op::none) products.emplace_back(full, op, S(1), S(0));
        }
        const CheckedProduct<T> after(updated, Op::none, S(1), S(0));
        const CheckedVectors<T> five_vectors(full, Op::none, S(2), S(0.5), 5, false, true);
        for (const auto& [scheme, vectors] : schemes) {
          const bool csb = std::string_view(scheme).starts_with("csb");
          const bool all_kinds = pattern.name == "blocks of every weight";
          if (emulated && csb && !all_kinds && turn++ % 5 != 0) continue;  // slow there
          SpmvOptions options{.vectors = {vectors}, .symmetry = symmetry};
          if (*scheme) options.scheme = Scheme::parse(scheme);
          typename T::template Plan<> plan(exec, stored.matrix(), options, typename T::Formats());
          CAPTURE(plan.scheme().to_string());
          CHECK((plan.scheme().format() == "csb") == csb);
          CHECK(plan.scheme().has("sweep") == csb);
          const auto entries = static_cast<std::size_t>(full.matrix().nonzeros());
          if (!csb) CHECK(plan.bytes() >= entries * (sizeof(S) + sizeof(typename D::Off)));
          const bool atomics = csb && plan.scheme().value("sweep") == "atomics";
          for (const CheckedProduct<T>& product : products) {
            CHECK(product.problem(exec, plan) == "");
            if (atomics) continue;
            CHECK(same_bits(product.result(exec, plan), product.result(exec, plan)));
          }
          CHECK(five_vectors.problem(exec, plan) == "");
          plan.update_values(exec, new_values.matrix());
          CHECK(after.problem(exec, plan) == "");
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(triangles, PlanTypes<SharedFormats>);

TEST_CASE("triangles: the whole has its rows in order, the triangle's entries by number") {
  using T = Types<DefaultDevice, Kokkos::complex<double>, Indices32>;
  const T::Exec exec;
  const auto same = [](const auto& a, const auto& b) {
    const auto x = to_host(a);
    return std::equal(x.data(), x.data() + x.extent(0), b.data(), b.data() + b.extent(0));
  };
  for (const Pattern& pattern : square_patterns()) {
    for (const Symmetry symmetry : {Symmetry::symmetric, Symmetry::hermitian}) {
      for (const bool lower : {true, false}) {
        const auto half = make_matrix<T::Scalar, int, int>(triangle_of(pattern, lower));
        const auto A = half.template copy_to<T::Space>(exec);
        const auto expected = both_triangles<DeviceMatrix<T>>(half, symmetry);
        const heddle::detail::WholeOfTriangle<T::Exec, T::Scalar, int, int> whole(
            exec, A.matrix(), expected.nonzeros() - half.nonzeros(), lower, symmetry);
        exec.fence("heddle::test::mirrored");
        const auto B = whole.matrix();
        CHECK_MESSAGE(
            (same(B.row_ptr(), expected.row_ptr()) && same(B.col_idx(), expected.col_idx()) &&
             same(B.values(), expected.values())),
            pattern.name);
      }
    }
  }
}

TEST_CASE("triangles: max_bytes decides whether the plan mirrors, and errors say what to do") {
  using T = OnePlanType<SharedFormats>;
  const T::Exec exec;
  const Pattern pattern = banded_pattern("tridiagonal", 3000, 3000, {-1, 0, 1});
  const auto half = to_device<T>(exec, triangle_of(pattern, true));
  const auto plan_of = [&](const auto& A, SpmvOptions options, auto list) {
    options.symmetry = Symmetry::symmetric;
    return SpmvPlan<T::Exec, T::Matrix, double, double, decltype(list)>(exec, A.matrix(), options,
                                                                        list);
  };
  const T::Formats all;
  using Plain = Formats<Shared<CsrFormat>>;
  const auto free = plan_of(half, {}, all);
  CHECK(free.scheme().format() != "csb");
  const std::size_t whole = 8998 * (8 + 4 + 4) + 3001 * 4;
  CHECK(free.bytes() >= whole);
  CHECK(plan_of(half, {.scheme = Scheme("csr", {{"scalar"}})}, all).bytes() < whole + 5000);
  const auto bounded = plan_of(half, {.max_bytes = 120000}, all);
  CHECK(bounded.scheme().format() == "csb");
  CHECK(bounded.bytes() <= 120000);
  CHECK(plan_of(half, {.scheme = Scheme("csb")}, all).scheme().format() == "csb");
  CHECK_THROWS_WITH_AS(plan_of(half, {.max_bytes = 120000}, Plain()),
                       doctest::Contains("heddle::TriangleFormats()"), Refusal);
  CHECK_THROWS_WITH_AS(plan_of(half, {.values_in_place = true}, Plain()),
                       doctest::Contains("options.values_in_place is set"), Refusal);
  CHECK_THROWS_WITH_AS(plan_of(half, {.scheme = Scheme("tiled", {{"16"}})}, Plain()),
                       doctest::Contains("Formats<CsrFormat, TiledFormat>"), Error);
  CHECK_THROWS_WITH_AS(plan_of(to_device<T>(exec, pattern), {}, all),
                       doctest::Contains("2999 entries below the diagonal and 2999 above"), Error);
  CHECK_THROWS_WITH_AS(plan_of(to_device<T>(exec, pattern_named("tall")), {}, all),
                       doctest::Contains("give a square matrix"), Error);
}

TEST_CASE("csb: the stored diagonal of a Hermitian matrix is real, also after an update") {
  using S = Kokkos::complex<double>;
  using Exec = DefaultDevice;
  using Space = typename Exec::memory_space;
  const Exec exec;
  const auto half = make_matrix<S, int, int>(triangle_of(blocks_of_every_weight(), true));
  const auto A = half.template copy_to<Space>(exec);
  const heddle::detail::csb::Storage<Exec, S, int, int> storage(exec, A.matrix(), 256, true);
  for (const bool updated : {false, true}) {
    if (updated) storage.update_values(exec, A.matrix());
    exec.fence("heddle::test::stored");
    const auto view = storage.view();
    const auto count = static_cast<std::size_t>(storage.nonzeros());
    const auto on_host = [&](const auto* data, std::size_t size) {
      using T = std::remove_cvref_t<decltype(*data)>;
      return Kokkos::create_mirror_view_and_copy(
          Kokkos::HostSpace(), Kokkos::View<const T*, Space, Kokkos::MemoryUnmanaged>(data, size));
    };
    const auto blocks = static_cast<std::size_t>(storage.blocks());
    const auto begin = on_host(view.list_ptr, blocks + 1);
    const auto rows = on_host(view.block_row, blocks), columns = on_host(view.block_column, blocks);
    const auto row = on_host(view.local_row, count), column = on_host(view.local_column, count);
    const auto values = on_host(view.values, count);
    int diagonal = 0, wrong = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      for (auto k = static_cast<std::size_t>(begin(b)); k < static_cast<std::size_t>(begin(b + 1));
           ++k) {
        const bool on_diagonal = rows(b) == columns(b) && row(k) == column(k);
        diagonal += on_diagonal;
        wrong += on_diagonal != (values(k).imag() == 0);
      }
    }
    CHECK(diagonal > 0);
    CHECK(wrong == 0);
  }
}

}  // namespace heddle::test
