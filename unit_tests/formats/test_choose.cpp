// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../formats/all_formats.hpp"
#include "../../formats/choose.hpp"

namespace heddle::test {

namespace {

using Csr = Formats<CsrFormat>;

Device gpu(int lanes) {
  Device device;
  device.name = "a GPU";
  device.backend = lanes == 64   ? BackendKind::hip
                   : lanes == 32 ? BackendKind::cuda
                                 : BackendKind::host;
  device.lanes = lanes;
  device.multiprocessors = 132;
  device.threads_per_multiprocessor = 2048;
  device.cache_bytes = 60 << 20;
  return device;
}

RowFeatures rows_of(std::int64_t rows, std::int64_t mean, std::int64_t longest) {
  RowFeatures features;
  features.rows = features.columns = rows;
  features.nonzeros = rows * mean;
  features.longest_row = longest;
  return features;
}

std::string chosen(const RowFeatures& rows, const Device& device,
                   const ExpectedVectors& vectors = {}, std::int64_t expected_applies = 1000) {
  ChooseOptions options;
  options.expected_applies = expected_applies;
  options.sizes.vectors = vectors;
  return choose<Csr>(rows, device, options).scheme.to_string();
}

/// A format that holds nothing, and one that copies values.
template <bool Refuses>
struct OtherFormat {
  static constexpr const char* name = Refuses ? "never" : "copies";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static Prediction predict(const Scheme&, const Features&, const Device&, const Sizes&) {
    if (Refuses) return Prediction::refuse("it holds nothing");
    Prediction prediction;
    prediction.borrows_values = false;
    return prediction;
  }
  static bool applies(Op, const Scheme&) { return true; }
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>&, const Scheme&) {
    return nullptr;  // nobody asks
  }
};
/// Keeps a thousand bytes, and transposes by itself.
struct Native : OtherFormat<false> {
  static constexpr const char* name = "native";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static Prediction predict(const Scheme&, const Features&, const Device&, const Sizes&) {
    return {1, 1, 1000, 1000, false, "it transposes"};
  }
};
using Never = OtherFormat<true>;
using Copies = OtherFormat<false>;

}  // namespace

TEST_CASE("choose: the rules on a GPU") {
  CHECK(chosen(rows_of(1000000, 5, 5), gpu(32)) == "csr/scalar");
  CHECK(chosen(rows_of(50000, 26, 27), gpu(32)) == "csr/subwarp=8");
  CHECK(chosen(rows_of(3000, 60, 70), gpu(32)) == "csr/subwarp=16");
  CHECK(chosen(rows_of(1000000, 5, 100000), gpu(32)) == "csr/adaptive");
  CHECK(chosen(rows_of(100, 9000, 20000), gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: csr/adaptive costs less where all wait for memory") {
  CHECK(chosen(rows_of(50000, 50, 60), gpu(32)) == "csr/subwarp=8");
  CHECK(chosen(rows_of(1000000, 50, 60), gpu(32)) == "csr/adaptive");
  // It gains 14 ns an apply here and costs 80 us more to set up.
  CHECK(chosen(rows_of(1000000, 9, 9), gpu(32), {}, 100000) == "csr/adaptive");
  CHECK(chosen(rows_of(1000000, 9, 9), gpu(32), {}, 1000) == "csr/scalar");
  CHECK(chosen(rows_of(300000, 9, 9), gpu(32)) == "csr/scalar");
  CHECK(chosen(rows_of(50000, 9, 9), gpu(32)) == "csr/subwarp=2");
  Device larger = gpu(32);
  larger.cache_bytes *= 4;
  CHECK(chosen(rows_of(1000000, 9, 9), larger, {}, 100000) == "csr/scalar");
}

TEST_CASE("choose: mostly empty rows, by how many there are") {
  CHECK(chosen(rows_of(3000000, 0, 3), gpu(32)) == "csr/merge");
  CHECK(chosen(rows_of(1000000, 0, 3), gpu(32)) == "csr/scalar");
  CHECK(chosen(rows_of(1000, 0, 3), gpu(32)) == "csr/scalar");
}

TEST_CASE("choose: the spread of rows counts, not the longest alone") {
  // NotreDame_www, where csr/subwarp=2 was measured to be the fastest of all.
  RowFeatures rows = rows_of(325729, 0, 60);
  rows.nonzeros = 929849;
  rows.row_variance = 31.08;
  CHECK(chosen(rows, gpu(32)) == "csr/subwarp=2");
  // The same with a row that would hold up all others.
  rows.longest_row = 20000;
  CHECK(chosen(rows, gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: where the long rows stand counts, if somebody counted") {
  // One row of 60 in every 32, the others of two: each warp of csr/scalar waits for one, which the
  // deviation does not tell.
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

TEST_CASE("choose: several vectors") {
  const ExpectedVectors apart{8, true}, side_by_side{8, false};
  // A grid of five points, where csr/scalar was measured to be the fastest for vectors apart.
  CHECK(chosen(rows_of(1440000, 5, 5), gpu(32), apart) == "csr/scalar");
  CHECK(chosen(rows_of(1440000, 5, 5), gpu(32), side_by_side) == "csr/adaptive");
  CHECK(chosen(rows_of(175000, 49, 159), gpu(32), apart) == "csr/adaptive");
  // Packing costs less a vector if there are more: crystk01.
  CHECK(chosen(rows_of(4875, 65, 81), gpu(32), apart) == "csr/subwarp=16");
  CHECK(chosen(rows_of(4875, 65, 81), gpu(32), {32, true}) == "csr/adaptive");
  // Too few nonzeros to repay packing: hypersparse.
  CHECK(chosen(rows_of(3000000, 0, 3), gpu(32), {32, true}) == "csr/scalar");
  CHECK(chosen(rows_of(3000000, 0, 3), gpu(32), {32, false}) == "csr/merge");
  CHECK(chosen(rows_of(50000, 26, 27), gpu(32), side_by_side) == "csr/adaptive");
  CHECK(chosen(rows_of(5000, 4, 7), gpu(32), side_by_side) == "csr/subwarp=2");
  CHECK(chosen(rows_of(1440000, 5, 5), gpu(32), {1, false}) == "csr/scalar");
}

TEST_CASE("choose: the factors of several vectors lie between those measured") {
  constexpr SeveralVectors several{{2, 3, 5, 9}, {2, 4, 6}};
  for (const bool apart : {true, false}) CHECK(several.factor({1, apart}) == 1);
  CHECK(several.factor({2, false}) == 2);
  CHECK(several.factor({4, false}) == 3);
  CHECK(several.factor({8, false}) == 5);
  CHECK(several.factor({16, false}) == 7);
  CHECK(several.factor({100, false}) == 9);
  CHECK(several.factor({3, true}) == doctest::Approx(2));
  CHECK(several.factor({8, true}) == 4);
  CHECK(several.factor({1000, true}) == 6);
}

TEST_CASE("choose: of all formats, lanes that are rows are good for vectors apart, or few") {
  PatternFeatures grid;
  static_cast<RowFeatures&>(grid) = rows_of(1440000, 5, 5);
  grid.lower_bandwidth = grid.upper_bandwidth = 1200;
  grid.diagonals = 5;
  grid.narrow_slices = 45000;
  const auto format_for = [&](const ExpectedVectors& vectors) {
    ChooseOptions options;
    options.sizes.vectors = vectors;
    const Features features(grid, [&] { return grid; });
    const std::string scheme = choose<AllFormats>(features, gpu(32), options).scheme.to_string();
    return scheme.substr(0, scheme.find('/'));
  };
  CHECK(format_for({1, true}) == "dia");
  CHECK(format_for({2, false}) == "dia");
  CHECK(format_for({8, false}) == "csr");
  CHECK(format_for({32, false}) == "csr");
  CHECK(format_for({8, true}) == "ell");
}

TEST_CASE("choose: a CPU takes CSR where most rows are empty") {
  Device cpu = gpu(1);
  cpu.multiprocessors = 16;
  RowFeatures rows = rows_of(2000000, 0, 3);
  rows.nonzeros = 300000;
  rows.empty_rows = 1800000;
  CHECK(choose<AllFormats>(rows, cpu).scheme.to_string() == "csr/adaptive");
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
  // A row of 20,000 nonzeros, gone through by one subwarp, takes longer than searching for equal
  // shares; and one of a million, gone through by one team, than cutting it.
  CHECK(chosen(rows_of(1000000, 5, 20000), gpu(32), {}, 1) == "csr/merge,search=apply");
  CHECK(chosen(rows_of(1000000, 5, 1000000), gpu(32), {}, 1) == "csr/adaptive");
  CHECK(chosen(rows_of(1000000, 5, 20000), gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: csr/blocks, mostly slower than csr/adaptive, is never chosen") {
  for (const int lanes : {1, 32, 64}) {
    for (const std::int64_t rows : {100, 10000, 10000000}) {
      for (const std::int64_t longest : {9, 700, 100000}) {
        for (const std::int64_t applies : {1, 1000, 1000000}) {
          const std::string scheme = chosen(rows_of(rows, 5, longest), gpu(lanes), {}, applies);
          CHECK(scheme.find("blocks") == std::string::npos);
        }
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

TEST_CASE("choose: the ranking rises from the scheme that is chosen, and refusals come last") {
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
      if (i > 0) CHECK(ranking[i].total_seconds >= ranking[i - 1].total_seconds);
    }
    CHECK(ranking[ranking.size() - 2].prediction.refusal == "it holds nothing");
    CHECK(ranking.back().prediction.refusal.find("values_in_place") != std::string::npos);
    const Choice choice = choose<Three>(features, gpu(lanes), options);
    CHECK(choice.scheme == ranking.front().scheme);
    CHECK(choice.ranking.size() == ranking.size());
    // Unrestricted, what costs nothing comes first.
    CHECK(choose<Three>(features, gpu(lanes)).scheme == Scheme("copies"));
  }
}

TEST_CASE("choose: a line of the ranking names execution and set-up apart, and why, or why not") {
  RankedScheme one{Scheme::parse("csr/merge"), {3.456e-5, 1.2e-3, 1000, 77, true, "it fits"}};
  CHECK(
      one.to_string() ==
      "csr/merge: 3.46e-05 s an apply and 1.20e-03 s to set up predicted, 77 bytes kept; it fits");
  one.measured_seconds = 2e-5;
  one.prediction.lacks_pattern = true;
  CHECK(one.to_string() ==
        "csr/merge: 2.00e-05 s an apply measured, 3.46e-05 s an apply and 1.20e-03 s to set up "
        "predicted, 77 bytes kept; it fits; at best, the pattern unseen");
  one.prediction = Prediction::refuse("rows differ");
  CHECK(one.to_string() == "csr/merge refuses: rows differ");
}

TEST_CASE("choose: what would keep too many bytes is left out, a stored transpose counted") {
  using Two = Formats<CsrFormat, Native>;
  const Features features = rows_of(1000, 5, 5);
  const std::size_t transpose = stored_transpose_bytes(features.rows(), {});
  // The row pointer, columns, values and sources, each padded.
  CHECK(transpose == 4096 + 20224 + 40192 + 20224);
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
  CHECK(native.ranking.back().prediction.refusal.find("options.max_bytes leaves 84735") !=
        std::string::npos);
  CHECK(with(1000, {Op::transpose}).scheme == Scheme("native"));
  CHECK_THROWS_WITH_AS(with(999, {Op::transpose}), doctest::Contains("a stored transpose of 84736"),
                       Refusal);
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
    // Where the values may be copied, additions by atomics are not worth their time.
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
  // Native applies take a second each, and so does its inspection.
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

}  // namespace heddle::test
