// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search of heddle-bench over a grammar of schemes, with a table in place of a stopwatch.
#include "../../perf_tests/bench/common/scheme_search.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "../../perf_tests/bench/common/timing.hpp"

namespace heddle::bench {

namespace {

using Cost = std::function<double(const Scheme&)>;

SchemeGrammar grammar() {
  return {"toy",
          {{"plain"}, {"waits", {}, {{"alpha", {"0", "2", "inf"}, "inf"}}}},
          {{"lanes", {"1", "2", "4", "8"}, scheme_auto},
           {"merge", {"none", "<n>"}, "none", {"2", "32"}},
           {"order", {"level", "row"}}}};
}

/// Each value has a factor of its own, and the defaults are not the best.
double separable(const Scheme& scheme) {
  static const std::map<std::string, double> factors = {
      {"plain", 3},     {"waits", 1},    {"lanes=1", 4},     {"lanes=2", 2},   {"lanes=4", 1},
      {"lanes=8", 3},   {"alpha=0", 5},  {"alpha=2", 1},     {"alpha=inf", 2}, {"merge=none", 2},
      {"merge=2", 1.5}, {"merge=32", 1}, {"order=level", 2}, {"order=row", 1}};
  double cost = 1e-3;
  for (const SchemeTerm& term : scheme.terms()) cost *= factors.at(term.to_string());
  return cost;
}

/// A clock that only timing advances, and the schemes that were set up and timed.
struct Fake {
  explicit Fake(Cost table) : cost(std::move(table)) {}

  Cost cost;
  double now = 0;
  /// The lanes that a plan chooses.
  std::string automatic = "lanes=1";
  std::vector<std::string> set_up, timed;
  std::vector<double> limits;

  struct Variant {
    Fake* fake;
    Scheme ran;
    Scheme scheme() const { return ran; }
    TimedScheme time(double too_slow_seconds) const {
      fake->timed.push_back(ran.to_string());
      fake->limits.push_back(too_slow_seconds);
      fake->now += 1;
      const double seconds = fake->cost(ran);
      return {seconds, seconds > too_slow_seconds};
    }
  };

  SearchResult search(const SchemeGrammar& legal, const std::vector<Scheme>& candidates,
                      double budget_seconds = 1e9) {
    const auto setup = [this](const Scheme& scheme) {
      set_up.push_back(scheme.to_string());
      std::vector<SchemeTerm> terms = scheme.terms();
      if (!scheme.has("lanes")) {
        const std::size_t equals = automatic.find('=');
        terms.insert(terms.begin() + 1,
                     SchemeTerm(automatic.substr(0, equals), automatic.substr(equals + 1)));
      }
      return Variant{this, Scheme(scheme.format(), terms)};
    };
    const auto watch = [](std::size_t, const SearchedScheme*, const Scheme&) {};
    return SchemeSearch(
               legal, budget_seconds, setup, [this] { return now; }, watch)
        .run(candidates);
  }
};

bool each_once(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

Scheme worst() {
  return Scheme("toy", {"plain", {"lanes", 1}, {"merge", "none"}, {"order", "level"}});
}

}  // namespace

TEST_CASE("the size of the space is what all keys of a kernel can be, multiplied") {
  const SchemeGrammar legal = grammar();
  CHECK(count_schemes(legal, legal.kernels[0]) == 4 * 3 * 2);
  CHECK(count_schemes(legal, legal.kernels[1]) == 4 * 3 * 2 * 3);
  const SchemeGrammar unlisted{"toy", {{"k", {"1", "2"}}}, {{"sigma", {"<n>"}, "256", {"8"}}}};
  CHECK(count_schemes(unlisted, unlisted.kernels[0]) == 2 * 2);
}

TEST_CASE("a search finds the best of a separable table, whatever it starts from") {
  const SchemeGrammar legal = grammar();
  for (const auto& candidates : {std::vector{worst()}, variants_of(legal)}) {
    Fake fake(separable);
    const SearchResult found = fake.search(legal, candidates);
    CHECK(found.complete);
    REQUIRE(found.best);
    CHECK(found.best->scheme.to_string() == "toy/waits,lanes=4,merge=32,order=row,alpha=2");
    CHECK(*found.best->time.seconds == separable(found.best->scheme));
    CHECK(each_once(fake.timed));
    CHECK(each_once(fake.set_up));
    CHECK(found.schemes.size() == fake.timed.size());
  }
}

TEST_CASE("what a parameter left open comes to is not timed again") {
  const SchemeGrammar legal = grammar();
  Fake fake(separable);
  const auto scheme = [](const char* text) { return Scheme::parse(text); };
  fake.search(legal, {scheme("toy/plain,merge=2,order=row"),
                      scheme("toy/plain,lanes=1,merge=2,order=row")});
  CHECK(each_once(fake.timed));
  CHECK(fake.timed.front() == "toy/plain,lanes=1,merge=2,order=row");
}

TEST_CASE("a search stops with its budget, and has timed one at the least") {
  const SchemeGrammar legal = grammar();
  for (const double budget : {0.5, 4.0, 15.0}) {
    Fake fake(separable);
    const SearchResult found = fake.search(legal, {worst()}, budget);
    CHECK_FALSE(found.complete);
    CHECK(fake.timed.size() == static_cast<std::size_t>(std::ceil(budget)));
    CHECK(found.best);
  }
}

TEST_CASE("timing may stop at 1.5 times the best median so far, and what it stopped never leads") {
  const SchemeGrammar legal = grammar();
  Fake fake(separable);
  const SearchResult found = fake.search(legal, {worst()});
  double best = std::numeric_limits<double>::infinity();
  std::size_t stopped = 0;
  for (std::size_t i = 0; i < found.schemes.size(); ++i) {
    CHECK(fake.limits[i] == 1.5 * best);
    const TimedScheme& time = found.schemes[i].time;
    CHECK(time.stopped_early == (*time.seconds > 1.5 * best));
    stopped += time.stopped_early ? 1 : 0;
    if (!time.stopped_early) best = std::min(best, *time.seconds);
  }
  CHECK(stopped > 0);
  CHECK(best == *found.best->time.seconds);
}

TEST_CASE("what a plan refuses is noted and passed by") {
  const SchemeGrammar legal = grammar();
  Fake fake([](const Scheme& scheme) {
    if (scheme.value("lanes") == "4") throw Error("too many lanes", "take fewer");
    return separable(scheme);
  });
  const SearchResult found = fake.search(legal, {worst()});
  CHECK(found.complete);
  CHECK(found.best->scheme.to_string() == "toy/waits,lanes=2,merge=32,order=row,alpha=2");
  std::size_t refused = 0;
  for (const SearchedScheme& one : found.schemes) {
    if (one.time.seconds) continue;
    ++refused;
    CHECK(one.scheme.value("lanes") == "4");
    CHECK(one.note.find("too many lanes") != std::string::npos);
  }
  CHECK(refused > 0);

  Fake none([](const Scheme&) -> double { throw Error("never", "give up"); });
  const SearchResult nothing = none.search(legal, {worst()});
  CHECK_FALSE(nothing.best);
  CHECK(nothing.schemes.size() == 1);
}

TEST_CASE("one that is timed alone runs to the end, or a few times where it is too slow") {
  const Kokkos::DefaultExecutionSpace exec;
  int applies = 0;
  const auto apply = [&] { ++applies; };
  const TimedScheme whole = time_alone(exec, apply, 1e9);
  CHECK_FALSE(whole.stopped_early);
  CHECK(*whole.seconds >= 0);
  CHECK(applies >= 6);
  applies = 0;
  const TimedScheme slow = time_alone(exec, apply, -1);
  CHECK(slow.stopped_early);
  CHECK(applies == 3);
}

}  // namespace heddle::bench
