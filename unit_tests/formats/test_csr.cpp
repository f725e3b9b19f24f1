// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/csr/apply_without_plan.hpp"
#include "../../formats/csr/host_variant.hpp"
#include "../../formats/csr/inspect.hpp"
#include "../../formats/definitions.hpp"
#include "../../testing/events.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../../testing/format_suite/vectors.hpp"
#include "../support/shared_formats.hpp"

// Tests of csr alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using CsrType = OnePlanType<SharedFormats>;
using CsrExec = CsrType::Exec;
using CsrPlan = CsrType::Plan<>;

TEST_CASE("csr: every value of every parameter is tried, and its name says what runs") {
  const CsrExec exec;
  const auto A = to_device<CsrType>(exec, pattern_named("power law"));
  const auto printed = [&](const std::string& text) {
    return CsrPlan(exec, A.matrix(), {.scheme = Scheme::parse(text)}).scheme();
  };
  const auto prints = [&](const char* text, const char* all) {
    CHECK(printed(text).to_string() == all);
  };
  if constexpr (backends::has_lanes<CsrExec>) {
    prints("csr/scalar", "csr/scalar");
    prints("csr/blocks,long=40,rows=7", "csr/blocks,rows=7,long=40");
    prints("csr/blocks,long=40,rows=7,lanes=4", "csr/blocks,rows=7,long=40,lanes=4");
    prints("csr/subwarp=4", "csr/subwarp=4");
    prints("csr/merge", "csr/merge,search=plan,pack=no");
    prints("csr/merge,search=apply", "csr/merge,search=apply,pack=no");
    prints("csr/merge,pack=8", "csr/merge,search=plan,pack=8");
  } else {
    prints("csr/scalar,simd=none", "csr/scalar,simd=none");
    prints("csr/blocks,long=40,rows=7,simd=none", "csr/blocks,rows=7,long=40,simd=none");
    prints("csr/merge,simd=none", "csr/merge,search=plan,simd=none,pack=no");
    prints("csr/merge,search=apply,simd=none", "csr/merge,search=apply,simd=none,pack=no");
    CHECK(printed("csr/merge").value("simd") == backends::name(backends::best_simd()));
    for (const backends::Simd simd : backends::every_simd) {
      if (simd == backends::Simd::none || !backends::supports(simd)) continue;
      for (const char* loop : {"row", "four", "branchless", "sparse", "two-sums", "contiguous"}) {
        for (const char* runs : {"yes", "no"}) {
          const std::string text = std::string("csr/adaptive,simd=") + backends::name(simd) +
                                   ",loop=" + loop + ",runs=" + runs + ",prefetch=no,pack=8";
          prints(text.c_str(), text.c_str());
        }
      }
    }
    CHECK_THROWS_WITH_AS(printed("csr/merge,simd=none,runs=yes"),
                         doctest::Contains("runs is for SIMD registers"), Refusal);
  }
}

TEST_CASE("csr/adaptive: long rows have two sums, and x of consecutive columns is one load") {
  if (backends::has_lanes<CsrExec> || backends::best_simd() != backends::Simd::loads) return;
  const CsrExec exec;
  // A run would help neither pattern: no row has columns of its neighbours.
  Pattern side_by_side{"side by side", 4000, {}}, apart{"apart", 4000, {}};
  for (std::int64_t i = 0; i < 1000; ++i) {
    std::vector<std::int64_t> row(40);
    std::iota(row.begin(), row.end(), (i * 1237) % 3000);
    side_by_side.rows.push_back(row);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = static_cast<std::int64_t>(k) * 20 + i % 7;
    apart.rows.push_back(row);
  }
  const auto loop_for = [&](const Pattern& pattern) {
    const auto A = to_device<CsrType>(exec, pattern);
    CsrPlan plan(exec, A.matrix(), {.scheme = "csr/adaptive"});
    CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");
    CHECK(plan.scheme().value("runs") == "no");
    CHECK(plan.scheme().value("prefetch") == "no");
    return std::string(plan.scheme().value("loop"));
  };
  CHECK(loop_for(side_by_side) == "contiguous");
  CHECK(loop_for(apart) == "two-sums");
}

TEST_CASE("csr: on a CPU registers are refused for numbers and columns that none hold") {
  using backends::Simd;
  using heddle::detail::csr::HostVariant;
  const CsrExec exec;
  const Device device = backends::describe(exec);
  const auto resolve = [&]<class S, class O>(const S&, const O&, const char* text) {
    using Operands = heddle::detail::csr::CsrOperands<S, O, O, S, S>;
    const auto stored = make_matrix<S, O, O>(pattern_named("1 x 1"));
    const auto A = stored.template copy_to<CsrType::Space>(exec);
    const Features features(RowFeatures{});
    using Matrix = std::remove_cvref_t<decltype(A.matrix())>;
    const Inspection<CsrExec, Matrix> in{Sizes(), exec, A.matrix(), features, device};
    auto parameters = parameters_of<heddle::detail::csr::Parameters>(text, Device());
    return HostVariant<CsrExec, Operands>(in, text, parameters).hints().simd;
  };
  const Kokkos::complex<double> complex;
  CHECK(resolve(complex, int(), "csr/scalar,simd=none") == Simd::none);
  CHECK_THROWS_WITH_AS(resolve(complex, int(), "csr/scalar,simd=loads"),
                       doctest::Contains("'csr/scalar,simd=loads': these types have plain loops"),
                       Refusal);
  if (!backends::runs_on_host<CsrExec> || !backends::supports(Simd::gathers)) return;
  CHECK(resolve(double(), int(), "csr/adaptive,simd=gathers") == Simd::gathers);
  CHECK(resolve(double(), std::int64_t(), "csr/adaptive,simd=loads") == Simd::loads);
  CHECK_THROWS_WITH_AS(resolve(double(), std::int64_t(), "csr/adaptive,simd=gathers"),
                       doctest::Contains("gathers need 32-bit ordinals"), Refusal);
}

TEST_CASE("csr: shares are kept, and nothing else where none are cut") {
  const CsrExec exec;
  const auto A = to_device<CsrType>(exec, pattern_named("power law"));
  CHECK(CsrPlan(exec, A.matrix(), {.scheme = Scheme("csr", {{"scalar"}})}).bytes() == 0);
  for (const char* kernel : {"adaptive", "merge", "blocks"}) {
    CHECK(CsrPlan(exec, A.matrix(), {.scheme = Scheme("csr", {{kernel}})}).bytes() > 0);
  }
  // A stored transpose holds the matrix and the sources of its values.
  CsrPlan plan(exec, A.matrix(), {.scheme = Scheme("csr", {{"scalar"}})});
  plan.prepare(exec, Op::conjugate_transpose);
  CHECK(plan.bytes() > A.host.bytes());
  CsrPlan native(exec, A.matrix(), {.scheme = Scheme::parse("csr/scalar,transpose=atomics")});
  native.prepare(exec, Op::transpose);
  CHECK(native.bytes() == 0);
}

TEST_CASE("csr/merge,search=apply sets nothing up and keeps nothing") {
  const CsrExec exec;
  const Scheme scheme = Scheme::parse("csr/merge,search=apply");
  for (const char* name : {"power law", "one huge row", "0 x 0"}) {
    const auto A = to_device<CsrType>(exec, pattern_named(name));
    const Recording recording;
    const CsrPlan plan(exec, A.matrix(),
                       {.scheme = scheme, .vectors = {8}, .check_overlap = false});
    CHECK(bytes_allocated(recording.seen(), "heddle::") == 0);
    for (const Event& event : recording.seen()) {
      if (event.kind == Event::kernel) CHECK(event.label == "heddle::features::rows");
    }
    CHECK(plan.bytes() == 0);
    CHECK(plan.moved_bytes() ==
          CsrPlan(exec, A.matrix(), {.scheme = Scheme("csr", {{"scalar"}})}).moved_bytes());
  }
}

/// The results must be those of the matrix of double with these values; plain loops, which compute
/// the last few rows, may be contracted otherwise.
TEST_CASE("csr: a matrix of float and vectors of double use registers where a CPU has them") {
  if (backends::has_lanes<CsrExec>) return;
  using Space = CsrType::Space;
  using NarrowType = Types<CsrExec, float, Indices32>;
  using Narrow = DeviceMatrix<NarrowType>::Matrix;
  using Broad = CsrType::Matrix;
  const CsrExec exec;
  for (const char* name : {"power law", "tridiagonal", "one huge row", "dense 4 x 4 blocks"}) {
    const auto floats = make_matrix<float, std::int32_t, std::int32_t>(pattern_named(name));
    const auto doubles = make_matrix<double, std::int32_t, std::int32_t>(pattern_named(name));
    for (std::size_t k = 0; k < floats.values().extent(0); ++k) {
      doubles.values()(k) = floats.values()(k);
    }
    const auto A = to_device<NarrowType>(exec, name, floats);
    const auto B = to_device<CsrType>(exec, name, doubles);
    for (const char* scheme : {"csr/scalar", "csr/adaptive,runs=yes", "csr/merge,loop=four"}) {
      if (backends::best_simd() == backends::Simd::none && Scheme::parse(scheme).has("loop"))
        continue;
      const SpmvOptions options{.scheme = Scheme::parse(scheme)};
      SpmvPlan<CsrExec, Narrow, double, double, Formats<CsrFormat>> plan(exec, A.matrix(), options);
      SpmvPlan<CsrExec, Broad, double, double, Formats<CsrFormat>> same(exec, B.matrix(), options);
      CAPTURE(plan.scheme().to_string());
      CHECK(plan.scheme() == same.scheme());
      for (const std::size_t count : {1, 3, 8}) {
        const auto x = random_vectors<double>(A.rows_of_x(), count, true, 3);
        const auto y = random_vectors<double>(A.rows_of_y(), count, true, 4);
        const auto of_plan = y.in<Space>(), of_same = y.in<Space>();
        const auto x_device = x.in<Space>();
        plan.apply(exec, 2.0, x_device.view(), 0.5, of_plan.view());
        same.apply(exec, 2.0, x_device.view(), 0.5, of_same.view());
        exec.fence("heddle::test::applied");
        double most = 0;
        for (std::size_t i = 0; i < A.rows_of_y(); ++i) {
          for (std::size_t v = 0; v < count; ++v) {
            most = std::max(most, std::abs(of_plan.view()(i, v) - of_same.view()(i, v)));
          }
        }
        CHECK(most < 1e-10);
      }
    }
  }
}

TEST_CASE("csr: the bytes that an apply moves are counted") {
  const CsrExec exec;
  const auto A = to_device<CsrType>(exec, pattern_named("wide"));
  const double x = 8.0 * A.host.columns(), y = 8.0 * A.host.rows();
  const double matrix = 12.0 * A.host.nonzeros() + 4.0 * (A.host.rows() + 1);
  const CsrPlan plan(exec, A.matrix(), {.scheme = Scheme("csr", {{"scalar"}})});
  CHECK(plan.moved_bytes() == matrix + x + y);
  CHECK(plan.moved_bytes(Op::conjugate, 3) == matrix + 3 * (x + y));
  CHECK(plan.moved_bytes(Op::none, 3, true) == matrix + 3 * (x + 2 * y));
  // Shares are read too; vectors that are packed are read, written and read again.
  const CsrPlan merge(exec, A.matrix(), {.scheme = Scheme::parse("csr/merge,pack=no")});
  CHECK(merge.moved_bytes(Op::none, 3) >= matrix + 3 * (x + y));
  CHECK(merge.moved_bytes(Op::none, 3) <=
        matrix + static_cast<double>(merge.bytes()) + 3 * (x + y));
  // One carry-out a share and vector, though there is room for more.
  const double of_shares = merge.moved_bytes() - (matrix + x + y);
  CHECK(of_shares > 0);
  CHECK(of_shares <= static_cast<double>(merge.bytes()) / 4);
  const CsrPlan packs(exec, A.matrix(), {.scheme = Scheme::parse("csr/merge,pack=8")});
  CHECK(packs.moved_bytes(Op::none, 3) - merge.moved_bytes(Op::none, 3) >= 6 * x);
  // A transposed product by atomics scales y, and then reads and writes it by additions.
  const CsrPlan atomics(exec, A.matrix(),
                        {.scheme = Scheme::parse("csr/scalar,transpose=atomics")});
  CHECK(atomics.moved_bytes(Op::transpose) == matrix + y + 3 * x);
}

TEST_CASE_TEMPLATE_DEFINE("csr: rows of any length, in blocks and in shares that an apply searches",
                          T, rows_of_any_length) {
  const typename T::Exec exec;
  PlanMaker<T> make(exec);
  std::vector<Scheme> schemes;
  for (const char* text : {"csr/merge,search=apply", "csr/blocks", "csr/blocks,rows=300,long=600",
                           "csr/blocks,rows=5,long=100000"}) {
    schemes.push_back(Scheme::parse(text));
  }
  if (backends::has_lanes<typename T::Exec>) {
    for (const char* lanes : {"lanes=1", "lanes=8,rows=7", "lanes=32"}) {
      schemes.push_back(Scheme::parse(std::string("csr/blocks,") + lanes));
    }
  }
  for (const Pattern& pattern : all_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    vectors_agree(make, A, schemes, {1, {}, true, true});
    if (pattern.nonzeros() > 200000) continue;
    for (const int count : {3, 8, 33}) {
      vectors_agree(make, A, schemes, {count, {}, true, true});
      vectors_agree(make, A, schemes, {count, {}, false, false});
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(rows_of_any_length, PlanTypes<SharedFormats>);

TEST_CASE("csr: vectors that lie apart are packed if that repays itself") {
  const CsrExec exec;
  constexpr bool lanes = backends::has_lanes<CsrExec>;
  const bool gains = lanes || backends::best_simd() != backends::Simd::none;
  const int threads = lanes ? 1 : exec.concurrency();
  const auto packs = [&](const Pattern& pattern, const ExpectedVectors& vectors) {
    const auto A = to_device<CsrType>(exec, pattern);
    const Vectors<double, CsrType::Space> x(A.rows_of_x(), 8, true), y(A.rows_of_y(), 8, true);
    CsrPlan plan(exec, A.matrix(), {.scheme = Scheme("csr", {{"adaptive"}}), .vectors = vectors});
    const Recording recording;
    plan.apply(exec, 1.0, x.view(), 0.0, y.view());
    exec.fence("heddle::test::applied");
    bool packed = false;
    for (const Event& event : recording.seen()) {
      packed = packed || event.label == "heddle::spmv::pack_vectors";
    }
    CHECK(packed == (plan.scheme().value("pack") != "no"));
    return packed;
  };
  const Pattern often = random_pattern("often", 1, 400, 300, [](std::int64_t) { return 40; });
  const Pattern beyond_caches = random_pattern("beyond the caches", 1, 1000 * threads,
                                               6000 * threads, [](std::int64_t) { return 90; });
  const Pattern seldom = random_pattern("seldom", 1, 100, 9000, [](std::int64_t) { return 5; });
  CHECK(packs(often, {8}) == gains);
  CHECK(packs(often, {2}) == gains);
  CHECK(packs(beyond_caches, {64}));
  CHECK(!packs(often, {1}));
  CHECK(!packs(often, {8, false}));
  CHECK(!packs(seldom, {8}));
}

/// Too large for caches, so that CPUs prefetch, and with more rows than a branch predictor learns.
TEST_CASE("csr: matrices beyond the caches agree with the oracle") {
  Random lengths(12), columns(14);
  Pattern nodes{"three unknowns a node", 60000, {}};
  for (int i = 0; i < 20000; ++i) {
    nodes.rows.push_back(random_row(columns, 60000, 27 + i % 4), 3);
  }
  const Pattern patterns[] = {
      banded_pattern("five-point", 320000, 320000, {-500, -1, 0, 1, 500}),
      random_pattern("steady rows", 11, 250003, 5000, [](std::int64_t) { return 6; }),
      random_pattern("surprising rows", 13, 270001, 5000,
                     [&](std::int64_t) { return 1 + lengths.below(12); }),
      nodes};
  const CsrExec exec;
  PlanMaker<CsrType> make(exec);
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<CsrType>(exec, pattern);
    auto plan = make(A, {.scheme = Scheme("csr", {{"adaptive"}})});
    REQUIRE(plan);
    CHECK_MESSAGE(apply_and_compare(exec, *plan, A, Op::none, 2.0, -1.0) == "", A.name);
  }
}

TEST_CASE_TEMPLATE_DEFINE("spmv() needs no plan", T, free_function) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    for (const Op op : {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose}) {
      for (const std::size_t count : {1, 3}) {
        if (count > 1 && op != Op::none) continue;
        const CheckedVectors<T> product(A, op, S(2), S(-1), count, true, false);
        for (const RowLengths lengths : {RowLengths::alike, RowLengths::differ}) {
          const auto apply = [&](Op, S alpha, const auto& x, S beta, const auto& y) {
            const Recording recording;
            spmv(exec, op, alpha, A.matrix(), x, beta, y, lengths);
            for (const Event& event : recording.seen()) CHECK(event.kind == Event::kernel);
          };
          CHECK_MESSAGE(product.problem_of(exec, apply) == "", A.name, ", ", name(op));
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(free_function, PlanTypes<SharedFormats>);

TEST_CASE("spmv() searches for equal shares where it is told to, and on a GPU for few long rows") {
  const CsrExec exec;
  const auto searches = [&](const Pattern& pattern, RowLengths lengths) {
    const auto A = to_device<CsrType>(exec, pattern);
    const Vectors<double, CsrType::Space> x(A.rows_of_x(), 1, true), y(A.rows_of_y(), 1, true);
    const Recording recording;
    spmv(exec, 1.0, A.matrix(), x.view(), 0.0, y.view(), lengths);
    exec.fence("heddle::test::applied");
    bool searched = false;
    for (const Event& event : recording.seen()) {
      searched = searched || event.label == "heddle::spmv::csr_merge_search";
    }
    return searched;
  };
  const Pattern few =
      random_pattern("few long rows", 1, 5, 90000, [](std::int64_t) { return 30000; });
  CHECK(!searches(pattern_named("tridiagonal"), RowLengths::alike));
  CHECK(searches(pattern_named("tridiagonal"), RowLengths::differ));
  CHECK(searches(few, RowLengths::alike) == backends::has_lanes<CsrExec>);
}

}  // namespace heddle::test
