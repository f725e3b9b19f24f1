// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../support/choose_csr.hpp"

namespace heddle::test {

namespace {

enum class Kind { never, copies, native, unseen };

/// A format that refuses every matrix; one without cost, which copies values; one that keeps a
/// thousand bytes, and transposes natively; a slower one, which may refuse a pattern.
template <Kind kind>
struct Invented {
  static constexpr const char* name = kind == Kind::never    ? "never"
                                      : kind == Kind::copies ? "copies"
                                      : kind == Kind::native ? "native"
                                                             : "unseen";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static Prediction predict(const Scheme&, const Features& features, const Device&, const Sizes&) {
    if (kind == Kind::never) return Prediction::refuse("it holds nothing");
    if (kind == Kind::native) return {1, 1, 1000, 1000, false, "it transposes"};
    Prediction prediction;
    if (kind == Kind::unseen) prediction = {2, 1, 1000, 1000, false, "it fits"};
    prediction.borrows_values = false;
    prediction.lacks_pattern = kind == Kind::unseen && !features.has_pattern();
    return prediction;
  }
  static bool applies(Op, const Scheme&) { return true; }
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>&, const Scheme&) {
    return nullptr;  // never asked for
  }
};
using Never = Invented<Kind::never>;
using Copies = Invented<Kind::copies>;
using Native = Invented<Kind::native>;
using Unseen = Invented<Kind::unseen>;

}  // namespace

TEST_CASE("choose: the factors of several vectors lie between those measured") {
  constexpr SeveralVectors several{{2, 3, 5, 9}, {2, 4, 6}};
  const std::pair<ExpectedVectors, double> factors[] = {
      {{1, true}, 1},   {{1, false}, 1},   {{2, false}, 2}, {{4, false}, 3}, {{8, false}, 5},
      {{16, false}, 7}, {{100, false}, 9}, {{3, true}, 2},  {{8, true}, 4},  {{1000, true}, 6}};
  for (const auto& [vectors, factor] : factors) {
    CHECK(several.factor(vectors) == doctest::Approx(factor));
  }
}

TEST_CASE("choose: a CPU balances its threads and looks for runs of rows") {
  Device cpu;
  for (const int threads : {1, 16}) {
    cpu.multiprocessors = threads;
    CHECK(chosen(rows_of(100000, 5, 5), cpu) == "csr/adaptive");
    CHECK(chosen(rows_of(100000, 5, 5), cpu, {}, 1) == "csr/scalar");
  }
}

TEST_CASE("choose: for a single apply nothing is set up, but where rows differ very much") {
  for (const std::int64_t mean : {0, 1, 5, 9, 26, 200}) {
    for (const std::int64_t rows : {100, 50000, 300000, 1000000}) {
      CAPTURE(mean);
      CAPTURE(rows);
      const Scheme scheme = Scheme::parse(chosen(rows_of(rows, mean, mean + 3), gpu(32), {}, 1));
      CHECK((scheme.has("scalar") || scheme.has("subwarp")));
    }
  }
  // A subwarp needs longer for a row of 20,000 nonzeros than a search for equal shares; and a team
  // longer for a row of a million than cutting it.
  CHECK(chosen(rows_of(1000000, 5, 20000), gpu(32), {}, 1) == "csr/merge,search=apply");
  CHECK(chosen(rows_of(1000000, 5, 1000000), gpu(32), {}, 1) == "csr/adaptive");
  CHECK(chosen(rows_of(1000000, 5, 20000), gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: csr/blocks, mostly slower than csr/adaptive, is a last resort") {
  for (const int lanes : {1, 32, 64}) {
    for (const std::int64_t rows : {100, 10000, 10000000}) {
      for (const std::int64_t longest : {9, 700, 100000}) {
        for (const std::int64_t applies : {1, 1000, 1000000}) {
          const std::string scheme = chosen(rows_of(rows, 5, longest), gpu(lanes), {}, applies);
          CHECK(scheme.find("blocks") == std::string::npos);
        }
        const auto ranking = rank<Csr>(rows_of(rows, 5, longest), gpu(lanes));
        CHECK(ranking.back().scheme == Scheme("csr/blocks"));
        CHECK(ranking.back().prediction.possible());
      }
    }
  }
}

TEST_CASE("choose: whatever the matrix, the scheme exists on the device") {
  for (const int lanes : {1, 32, 64}) {
    const Device device = gpu(lanes);
    for (const std::int64_t rows : {0, 1, 100, 10000, 10000000}) {
      for (const std::int64_t mean : {0, 1, 7, 100, 5000}) {
        for (const std::int64_t longest : {mean, 3 * mean + 1, 100000 + mean}) {
          const Choice choice = choose<Csr>(rows_of(rows, mean, longest), device);
          CHECK_NOTHROW(resolve(choice.scheme, Csr::grammars(device)));
          CHECK(!choice.reason.empty());
        }
      }
    }
  }
}

TEST_CASE("choose: the ranking rises to last resorts and from there, and refusals come last") {
  using Three = Formats<Never, CsrFormat, Copies>;
  for (const int lanes : {1, 32, 64}) {
    ChooseOptions options;
    options.expected_applies = 50;
    options.values_in_place = true;
    const Features features = rows_of(30000, 7, 20);
    const auto ranking = rank<Three>(features, gpu(lanes), options);
    REQUIRE(ranking.size() == Three::candidates(features, gpu(lanes)).size());
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      const Prediction& prediction = ranking[i].prediction;
      const bool refused = i + 2 >= ranking.size();
      CHECK(prediction.possible() == !refused);
      if (refused) continue;
      CHECK(ranking[i].total_seconds ==
            doctest::Approx(prediction.setup_seconds + 50 * prediction.seconds));
      if (i == 0) continue;
      const bool last_resort = ranking[i - 1].prediction.last_resort;
      CHECK(prediction.last_resort >= last_resort);
      if (prediction.last_resort == last_resort) {
        CHECK(ranking[i].total_seconds >= ranking[i - 1].total_seconds);
      }
    }
    CHECK(ranking[ranking.size() - 2].prediction.refusal == "it holds nothing");
    CHECK(ranking.back().prediction.refusal.find("values_in_place") != std::string::npos);
    const Choice choice = choose<Three>(features, gpu(lanes), options);
    CHECK(choice.scheme == ranking.front().scheme);
    CHECK(choice.ranking.size() == ranking.size());
    // Without restrictions the format without cost is first.
    CHECK(choose<Three>(features, gpu(lanes)).scheme == Scheme("copies"));
  }
}

TEST_CASE("choose: a line of the ranking names execution and set-up apart, and why, or why not") {
  RankedScheme one{Scheme::parse("csr/merge"), {3.456e-5, 1.2e-3, 1000, 77, true, "it fits"}};
  CHECK(
      one.to_string() ==
      "csr/merge: 3.46e-05 s an apply and 1.20e-03 s to set up predicted, 77 bytes kept; it fits");
  one.measured_seconds = 2e-5;
  CHECK(one.to_string() ==
        "csr/merge: 2.00e-05 s an apply measured, 3.46e-05 s an apply and 1.20e-03 s to set up "
        "predicted, 77 bytes kept; it fits");
  one.prediction = Prediction::refuse("rows differ");
  CHECK(one.to_string() == "csr/merge refuses: rows differ");
}

TEST_CASE("choose: what was predicted without the pattern says so, and that it may refuse") {
  const auto seen = [] { return PatternFeatures(); };
  const RowFeatures rows = rows_of(1000, 5, 5);
  for (const Features& features : {Features(rows), Features(rows, seen)}) {
    const auto behind = rank<Formats<Native, Unseen>>(features, gpu(32)).back();
    CHECK(behind.scheme == Scheme("unseen"));
    CHECK(behind.possible());
    CHECK(behind.prediction.reason == "it fits; at best, the pattern unseen, which may refuse it");
  }
  const auto first = rank<Formats<Unseen>>(Features(rows, seen), gpu(32)).front();
  CHECK(first.prediction.reason == "it fits");
}

TEST_CASE("choose: what would keep too many bytes is left out, a stored transpose counted") {
  using Two = Formats<CsrFormat, Native>;
  const Features features = rows_of(1000, 5, 5);
  const std::size_t transpose = stored_transpose_bytes(features.rows(), {});
  const auto padded = [](std::size_t bytes) {
    return (bytes + arena_alignment_bytes - 1) / arena_alignment_bytes * arena_alignment_bytes;
  };
  // The row pointer, columns, values and sources.
  CHECK(transpose == padded(1001 * 4) + padded(5000 * 4) + padded(5000 * 8) + padded(5000 * 4));
  const auto with = [&](std::size_t max_bytes, std::vector<Op> ops) {
    ChooseOptions options;
    options.max_bytes = max_bytes;
    options.ops = std::move(ops);
    return choose<Two>(features, gpu(32), options);
  };
  CHECK(with(0, {}).scheme.format() == "csr");
  CHECK(with(0, {Op::conjugate}).scheme.format() == "csr");
  CHECK(with(transpose, {Op::transpose}).scheme.format() == "csr");
  const Choice native = with(transpose - 1, {Op::transpose});
  CHECK(native.scheme == Scheme("native"));
  CHECK(native.ranking.back().prediction.refusal.find(
            "options.max_bytes leaves " + std::to_string(transpose - 1)) != std::string::npos);
  CHECK(with(1000, {Op::transpose}).scheme == Scheme("native"));
  const std::string needs = "a stored transpose of " + std::to_string(transpose);
  CHECK_THROWS_WITH_AS(with(999, {Op::transpose}), doctest::Contains(needs.c_str()), Refusal);
}

TEST_CASE("choose: ops that transpose in place are offered the schemes that do") {
  for (const int lanes : {1, 32, 64}) {
    ChooseOptions options;
    options.values_in_place = true;
    const Features features = rows_of(30000, 7, 20);
    CHECK(!choose<Csr>(features, gpu(lanes), options).scheme.has("transpose"));
    options.ops = {Op::conjugate};
    CHECK(!choose<Csr>(features, gpu(lanes), options).scheme.has("transpose"));
    options.ops = {Op::transpose};
    const Choice choice = choose<Csr>(features, gpu(lanes), options);
    CHECK(choice.scheme.value("transpose") == "atomics");
    CHECK(choice.ranking.back().prediction.refusal ==
          "a stored transpose copies the values, and options.values_in_place is set");
    // If the values may be copied, a stored transpose is faster than atomic additions.
    options.values_in_place = false;
    CHECK(!choose<Csr>(features, gpu(lanes), options).scheme.has("transpose"));
  }
}

TEST_CASE("choose: an op that transposes costs its applies, and a stored transpose its set-up") {
  using Two = Formats<CsrFormat, Native>;
  const Features features = rows_of(30000, 7, 20);
  const auto total = [&](const char* format, std::vector<Op> ops) {
    ChooseOptions options;
    options.expected_applies = 10;
    options.ops = std::move(ops);
    for (const RankedScheme& one : rank<Two>(features, gpu(32), options)) {
      if (one.scheme.format() == format) return one.total_seconds;
    }
    return 0.0;
  };
  const StoredTranspose stored(features.rows(), gpu(32), Sizes());
  CHECK(total("csr", {Op::transpose, Op::conjugate_transpose}) ==
        doctest::Approx(total("csr", {}) + stored.setup_seconds + 10 * stored.seconds));
  // A native apply needs a second, and so does its inspection.
  CHECK(total("native", {}) == doctest::Approx(11));
  CHECK(total("native", {Op::conjugate}) == doctest::Approx(11));
  CHECK(total("native", {Op::transpose}) == doctest::Approx(21));
}

TEST_CASE("choose: if no format holds a matrix, all reasons are told") {
  CHECK_THROWS_WITH_AS(choose<Formats<Never>>(rows_of(5, 1, 1), gpu(32)),
                       doctest::Contains("never: it holds nothing"), Refusal);
  CHECK_THROWS_AS(choose<Formats<>>(rows_of(5, 1, 1), gpu(32)), Refusal);
}

TEST_CASE("choose: the pattern is looked at only when a format asks") {
  int looks = 0;
  const Features features(rows_of(1000, 5, 9), [&] {
    ++looks;
    return PatternFeatures();
  });
  CHECK(features.has_pattern());
  (void)choose<Csr>(features, gpu(32));
  CHECK(looks == 0);
  for (int i = 0; i < 2; ++i) (void)features.pattern();
  CHECK(looks == 1);
}

TEST_CASE(
    "formats: of a list without formats, of an unknown one, of what a format takes natively") {
  CHECK(Formats<>::variants(gpu(32)).empty());
  const Features features = rows_of(5, 1, 1);
  CHECK(!Csr::predict(Scheme("ell"), features, gpu(32), {}).possible());
  CHECK(!Csr::applies(Op::none, Scheme("ell")));
  CHECK(Csr::applies(Op::conjugate, Scheme::parse("csr/merge")));
  CHECK(!Csr::applies(Op::transpose, Scheme::parse("csr/merge")));
  CHECK(Csr::applies(Op::transpose, Scheme::parse("csr/merge,transpose=atomics")));
  for (const int lanes : {1, 32, 64}) {
    const Device device = gpu(lanes);
    for (const Scheme& scheme : Csr::variants(device)) {
      CHECK(resolve(scheme, Csr::grammars(device)) == scheme);
    }
    for (const Scheme& scheme : Csr::candidates(features, device)) {
      CHECK(resolve(scheme, Csr::grammars(device)) == scheme);
      CHECK(Csr::predict(scheme, features, device, {}).possible());
    }
  }
}

namespace {

/// Lanes a row of csr/scalar and csr/subwarp; 0 for other schemes.
std::int64_t lanes_of(const std::string& text) {
  const Scheme scheme = Scheme::parse(text);
  return scheme.has("scalar") ? 1 : scheme.has("subwarp") ? scheme.integer("subwarp") : 0;
}

}  // namespace

TEST_CASE("choose: the rules on a GPU") {
  for (const std::int64_t rows : {3000, 50000, 300000}) {
    std::int64_t before = 1;
    for (const std::int64_t mean : {1, 2, 5, 9, 26, 60, 150}) {
      CAPTURE(rows);
      CAPTURE(mean);
      const std::string scheme = chosen(rows_of(rows, mean, mean + 1), gpu(32));
      // With one vector the layout of several does not matter.
      CHECK(chosen(rows_of(rows, mean, mean + 1), gpu(32), {1, false}) == scheme);
      const std::int64_t lanes = lanes_of(scheme);
      if (lanes == 0) continue;  // csr/adaptive
      CHECK(lanes >= before);    // longer rows get more lanes
      CHECK(lanes < 2 * mean);   // most lanes have an entry
      before = lanes;
    }
    if (rows <= 50000) CHECK(before > 1);  // csr/adaptive is not chosen for all
  }
  // A subwarp would finish this row long after the others.
  CHECK(chosen(rows_of(1000000, 5, 100000), gpu(32)) == "csr/adaptive");
  CHECK(chosen(rows_of(100, 9000, 20000), gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: csr/adaptive costs less where all wait for memory") {
  /// The lowest number of rows for which csr/adaptive is chosen.
  const auto adaptive_from = [](std::int64_t mean, const Device& device, std::int64_t applies) {
    std::int64_t first = -1;
    for (std::int64_t rows = 1000; rows < 100000000; rows *= 2) {
      const bool adaptive =
          chosen(rows_of(rows, mean, mean + 1), device, {}, applies) == "csr/adaptive";
      if (first < 0 && adaptive) first = rows;
      CHECK((adaptive || first < 0));  // it stays chosen for more rows
    }
    return first;
  };
  Device larger = gpu(32);
  larger.cache_bytes *= 4;
  for (const std::int64_t mean : {9, 50}) {
    CAPTURE(mean);
    const std::int64_t often = adaptive_from(mean, gpu(32), 100000);
    CHECK(often > 0);
    // Larger than the cache: indices and values, row pointer and both vectors.
    CHECK(often * (12 * mean + 20) > 60 << 20);
    CHECK(adaptive_from(mean, larger, 100000) > often);
    // With few applies its set-up counts.
    const std::int64_t seldom = adaptive_from(mean, gpu(32), 100);
    CHECK((seldom < 0 || seldom >= often));
  }
}

TEST_CASE("choose: a row that would hold up all others counts, whatever their spread") {
  RowFeatures rows = rows_of(325729, 0, 60);
  rows.nonzeros = 929849;
  rows.row_variance = 31.08;
  CHECK(lanes_of(chosen(rows, gpu(32))) > 0);
  rows.longest_row = 20000;
  CHECK(chosen(rows, gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: where the long rows stand counts, if somebody counted") {
  // One row of 60 in every 32 rows of two: each warp of csr/scalar waits for one, which the
  // variance does not show.
  constexpr std::int64_t slices = 20000;
  RowFeatures guessed = rows_of(32 * slices, 0, 60);
  guessed.nonzeros = slices * (31 * 2 + 60);
  guessed.row_variance = 58.0 * 58.0 * 31 / 32 / 32;
  RowFeatures counted = guessed;
  const auto slots = [](int group) { return slices * (60 + 2 * (32 / group - 1)) * group; };
  counted.group_slots = {slots(2), slots(4), slots(8), slots(16)};
  counted.slice_slots = slots(32);
  CHECK(guessed.mean_longest_of_groups(32) == 0);
  CHECK(counted.mean_longest_of_groups(32) == 60);
  CHECK(counted.mean_longest_of_groups(1) == counted.mean_row());
  const Device device = gpu(32);
  const heddle::detail::csr::GpuTuning tuning;
  const auto cost = [&](const RowFeatures& rows, int lanes) {
    return heddle::detail::csr::GpuCosts(rows, device, Sizes(), tuning).subwarp(lanes);
  };
  CHECK(cost(counted, 1) > 2 * cost(guessed, 1));
  CHECK(cost(counted, 32) == cost(guessed, 32));
}

}  // namespace heddle::test
