// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schemes: text and values, grammars, the fields that make one, and schemes of one backend on
// another.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "../../core/pinned_scheme.hpp"
#include "../../core/scheme_grammar.hpp"

using heddle::Device;
using heddle::PinnedScheme;
using heddle::Scheme;
using heddle::scheme_auto;
using heddle::SchemeFields;
using heddle::SchemeGrammar;
using heddle::SchemeKey;
using heddle::SchemeNumbers;

namespace {

const std::vector<SchemeGrammar> grammars = {
    {"csr", {{"scalar"}, {"subwarp", {"1", "2", "4", "8"}}, {"adaptive"}, {"merge"}}},
    {"blocked-ell", {}, {{"rows", {"<n>"}}, {"sigma", {"<n>"}, "256"}}},
    {"tiled", {{"16"}}},
    {"bcsr", {SchemeKey("<1..8>x<1..8>", {}, "", {"2x2", "3x5"})}},
    {"coo", {}},
    {"sptrsv",
     {},
     {{"ng", {"1", "2", "4"}},
      {"nw", {"<1..32>"}, "8"},
      {"merge", {"none", "fixed:<n>", "avg:<n>"}, "none"},
      {"order", {"none", "level"}, "none"},
      {"alpha", {"<n>", "inf"}, "inf"}}},
    {"ell",
     {{"rows"},
      {"packs", {}, {{"simd", {"none", "loads"}, "auto"}, {"batch", {"<n>"}, "4", {"8"}}}}}},
};

}  // namespace

TEST_CASE("a string is a scheme where one is taken, as parse() reads it") {
  struct Options {
    std::optional<Scheme> scheme = std::nullopt;
    Scheme other = {};
  };
  const Options options{.scheme = "csr/subwarp=8", .other = "blocked-ell/rows=64,sigma=256"};
  CHECK(options.scheme == Scheme::parse("csr/subwarp=8"));
  CHECK(options.other.integer("sigma") == 256);
  const std::string text = "csr/merge";
  CHECK(Options{.scheme = text}.scheme == Scheme("csr", {{"merge"}}));
  CHECK(Options{.scheme = std::string_view(text)}.scheme == Scheme::parse(text));
  CHECK(Scheme("coo") == Scheme::parse("coo"));
  Options later;
  later.scheme = "coo";
  later.other = text;
  CHECK(later.scheme == Scheme("coo"));
  CHECK(later.other == "csr/merge");
  for (const char* wrong : {"", "csr/", "csr/subwarp=", "cs r"}) {
    CHECK_THROWS_AS((void)Options{.scheme = wrong}, heddle::Error);
  }
}

TEST_CASE("a scheme prints what it parsed") {
  for (const char* text :
       {"csr/scalar", "csr/subwarp=8", "csr/merge", "blocked-ell/rows=64,sigma=256", "tiled/16",
        "bcsr/3x3", "coo", "sptrsv/ng=4,nw=8,merge=avg:8,order=level,alpha=inf"}) {
    CAPTURE(text);
    const Scheme scheme = Scheme::parse(text);
    CHECK(scheme.to_string() == text);
    CHECK(Scheme::parse(scheme.to_string()) == scheme);
    CHECK(heddle::parse_scheme(text, grammars) == scheme);
    std::ostringstream out;
    out << scheme;
    CHECK(out.str() == text);
  }
}

TEST_CASE("a scheme is made in code and read key by key") {
  const Scheme scheme("csr", {{"subwarp", 8}});
  CHECK(scheme == Scheme::parse("csr/subwarp=8"));
  CHECK(scheme.format() == "csr");
  CHECK(scheme.kernel() == "subwarp");
  CHECK(scheme.has("subwarp"));
  CHECK_FALSE(scheme.has("merge"));
  CHECK(scheme.value("subwarp") == "8");
  CHECK(scheme.integer("subwarp") == 8);
  CHECK_THROWS_WITH_AS((void)scheme.value("rows"),
                       doctest::Contains("'csr/subwarp=8' has no value for 'rows'"), heddle::Error);

  CHECK(Scheme("csr", {{"merge"}}).to_string() == "csr/merge");
  CHECK(Scheme("csr", {"merge"}).to_string() == "csr/merge");
  CHECK(Scheme("coo").kernel() == "");
  const Scheme many("sptrsv", {{"ng", 4}, {"order", "level"}});
  CHECK(many.to_string() == "sptrsv/ng=4,order=level");
  CHECK_THROWS_WITH_AS((void)many.integer("order"), doctest::Contains("order is not an integer"),
                       heddle::Error);
  CHECK_THROWS_WITH_AS(Scheme("csr", {{"sub warp", 8}}),
                       doctest::Contains("' ' cannot be part of a key"), heddle::Error);
  CHECK_THROWS_WITH_AS(Scheme("csr", {{"subwarp", "8/4"}}),
                       doctest::Contains("'/' cannot be part of a value"), heddle::Error);
  CHECK_THROWS_WITH_AS(Scheme("csr", {{"merge"}, {"merge"}}),
                       doctest::Contains("'merge' is given twice"), heddle::Error);
  CHECK_THROWS_WITH_AS(Scheme(""), doctest::Contains("a format is empty"), heddle::Error);
}

TEST_CASE("schemes compare and hash as values") {
  const Scheme four("csr", {{"subwarp", 4}});
  const Scheme eight("csr", {{"subwarp", 8}});
  CHECK(four != eight);
  CHECK(four < eight);
  CHECK(Scheme("coo") < four);
  CHECK(Scheme("csr", {{"merge"}}) < four);
  std::unordered_set<Scheme> set{four, eight, Scheme::parse("csr/subwarp=4")};
  CHECK(set.size() == 2);
  CHECK(set.count(eight) == 1);
}

TEST_CASE("text that is no scheme is an error") {
  for (const char* text :
       {"", "/", "csr/", "/scalar", "csr/subwarp=", "csr/=8", "csr/a,,b", "csr/a,", "csr/a=1,a=2",
        "csr/a b", " csr", "csr/a=b=c", "csr/a/b", "csr/\xc3\xa4"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)Scheme::parse(text), heddle::Error);
  }
}

TEST_CASE("resolving gives one canonical form") {
  const std::pair<const char*, const char*> canonical[] = {
      {"blocked-ell/rows=64", "blocked-ell/rows=64,sigma=256"},
      {"blocked-ell/sigma=1,rows=32", "blocked-ell/rows=32,sigma=1"},
      {"ell/packs", "ell/packs,batch=4"},
      {"ell/packs,batch=2,simd=auto", "ell/packs,batch=2"},
      {"ell/simd=none,packs", "ell/packs,simd=none,batch=4"},
      {"sptrsv/ng=2,alpha=3", "sptrsv/ng=2,nw=8,merge=none,order=none,alpha=3"},
  };
  for (const auto& [text, form] : canonical) {
    CHECK(heddle::parse_scheme(text, grammars).to_string() == form);
  }
}

TEST_CASE("what does not exist is an error that lists what does") {
  const std::pair<const char*, const char*> wrong[] = {
      {"cssr/scalar", "there is no format 'cssr'"},
      {"cssr/scalar", "did you mean 'csr'?"},
      {"cssr/scalar", "csr, blocked-ell, tiled"},
      {"csr/subwrap=8", "csr does not know 'subwrap'"},
      {"csr/subwrap=8", "did you mean 'subwarp'?"},
      {"csr/subwrap=8", "csr/scalar, csr/subwarp=1|2|4|8, csr/adaptive, csr/merge"},
      {"csr/subwarp=3", "'subwarp' cannot be '3'; write subwarp=1|2|4|8"},
      {"csr/subwarp", "'subwarp' lacks a value"},
      {"csr/merge=8", "'merge' needs no value"},
      {"csr", "no kernel is named"},
      {"csr/merge,scalar", "several kernels"},
      {"blocked-ell/sigma=8", "'rows' is missing"},
      {"blocked-ell/rows=64,depth=2", "write blocked-ell/rows=<n>,[sigma=<n>]"},
      // Parameters of one kernel are not another's.
      {"ell/rows,simd=none", "ell/rows does not know 'simd'"},
      {"ell/packs,simd=gathers", "'simd' cannot be 'gathers'"},
      {"ell/simd=none", "no kernel is named"},
  };
  for (const auto& [text, why] : wrong) {
    CHECK_THROWS_WITH_AS((void)heddle::parse_scheme(text, grammars), doctest::Contains(why),
                         heddle::Error);
  }
  for (const char* text :
       {"blocked-ell/rows=0", "blocked-ell/rows=-1", "blocked-ell/rows=064", "blocked-ell/rows=6x",
        "blocked-ell/rows=99999999999999999999", "bcsr/9x1", "bcsr/0x1", "bcsr/3", "tiled/32",
        "coo/x", "sptrsv/ng=4,nw=33", "sptrsv/ng=4,merge=avg:", "sptrsv/ng=4,merge=avg:0",
        "csr/zzzzzz"}) {
    std::string what;
    try {
      (void)heddle::parse_scheme(text, grammars);
    } catch (const heddle::Error& error) {
      what = error.what();
    }
    CAPTURE(text);
    CHECK(what != "");
    if (text == std::string("csr/zzzzzz")) CHECK(what.find("did you mean") == std::string::npos);
  }
}

TEST_CASE("a grammar lists variants that use every value") {
  const auto names = [](const SchemeGrammar& grammar) {
    std::string text;
    for (const Scheme& scheme : heddle::variants_of(grammar)) {
      text += scheme.to_string() + " ";
      CHECK(heddle::resolve(scheme, grammars) == scheme);
    }
    return text;
  };
  CHECK(names(grammars[0]) ==
        "csr/scalar csr/subwarp=1 csr/subwarp=2 csr/subwarp=4 csr/subwarp=8 csr/adaptive "
        "csr/merge ");
  CHECK(names(grammars[1]) == "");
  CHECK(names(grammars[2]) == "tiled/16 ");
  CHECK(names(grammars[3]) == "bcsr/2x2 bcsr/3x5 ");
  CHECK(names(grammars[4]) == "coo ");
  CHECK(heddle::variants_of(grammars[5]).size() == 3 * 2);
  CHECK(names(grammars[6]) ==
        "ell/rows ell/packs,batch=4 ell/packs,simd=none,batch=4 ell/packs,simd=loads,batch=4 "
        "ell/packs,batch=8 ");
}

namespace {

enum class Sweep { two, atomics };
enum class Loop { row, four };

struct OfFormat {
  std::optional<int> beta;
  std::optional<std::int64_t> sigma;
  std::optional<Sweep> sweep;

  void list(SchemeFields& fields, const Device& device) {
    fields.add(beta, {.key = "beta", .numbers = {256, 1024, true}});
    fields.add(sigma, {.key = "sigma",
                       .words = {"none"},
                       .numbers = {1, 4096},
                       .fallback = "none",
                       .examples = {"64"}});
    if (!device.has_lanes()) fields.add(sweep, {.key = "sweep", .words = {"two", "atomics"}});
  }
};

struct OfKernels {
  std::optional<int> lanes;
  std::optional<bool> sorted;
  std::optional<Loop> loop;
  std::optional<std::int64_t> rows;
  bool blocks = false;

  void list(SchemeFields& fields, const Device&) {
    fields.add(sorted, {.key = "sorted", .words = {"no", "yes"}});
    fields.kernel(lanes, {.key = "subwarp", .numbers = {2, 8, true}, .fallback = ""});
    fields.add(loop, {.key = "loop", .words = {"row", "four"}});
    blocks = fields.kernel("<1..8>x<1..8>", {"2x2"});
    fields.add(rows, {.key = "rows", .numbers = {1, SchemeNumbers::any}, .examples = {"7"}});
    fields.add(loop, {.key = "loop", .words = {"row", "four"}});
  }
};

Device gpu() {
  Device device;
  device.lanes = 32;
  return device;
}

}  // namespace

TEST_CASE("fields: one list is the grammar, reads a scheme and prints it") {
  const auto grammar = heddle::grammar_from<OfFormat>("csb", Device());
  CHECK(grammar.usage() == "csb/[beta=256|512|1024],[sigma=none|<1..4096>],[sweep=two|atomics]");
  CHECK(heddle::grammar_from<OfFormat>("csb", gpu()).usage() ==
        "csb/[beta=256|512|1024],[sigma=none|<1..4096>]");
  CHECK(grammar.parameters[1].examples == std::vector<std::string>{"64"});

  for (const Scheme& scheme : heddle::variants_of(grammar)) {
    CAPTURE(scheme.to_string());
    const auto read = heddle::parameters_of<OfFormat>(scheme, Device());
    CHECK(heddle::scheme_with(scheme, read, Device()) == scheme);
  }
  auto read = heddle::parameters_of<OfFormat>("csb/sigma=none,sweep=atomics,beta=auto", Device());
  CHECK(!read.beta);
  CHECK(read.sigma == 0);
  CHECK(read.sweep == Sweep::atomics);
  CHECK(!heddle::parameters_of<OfFormat>("csb/sweep=atomics", gpu()).sweep);
  read.beta = 512;
  read.sigma = 1000;
  CHECK(heddle::scheme_with("csb/sigma=none,sweep=atomics", read, Device()).to_string() ==
        "csb/beta=512,sigma=1000,sweep=atomics");
  CHECK_THROWS_WITH_AS(heddle::parameters_of<OfFormat>("csb/beta=many", Device()),
                       doctest::Contains("beta is not an integer"), heddle::Error);
}

TEST_CASE("fields: what follows a kernel is its own") {
  const auto grammar = heddle::grammar_from<OfKernels>("csr", Device());
  CHECK(grammar.usage() ==
        "csr/subwarp=2|4|8,[sorted=no|yes],[loop=row|four], "
        "csr/<1..8>x<1..8>,[sorted=no|yes],[rows=<n>],[loop=row|four]");
  for (const Scheme& scheme : heddle::variants_of(grammar)) {
    CAPTURE(scheme.to_string());
    const auto read = heddle::parameters_of<OfKernels>(scheme, Device());
    CHECK(read.blocks == (scheme.kernel() == "2x2"));
    CHECK(read.lanes.has_value() == scheme.has("subwarp"));
    CHECK(heddle::scheme_with(scheme, read, Device()) == scheme);
  }
  // Parameters in any order are printed in the grammar's; other kernels' are ignored.
  auto read = heddle::parameters_of<OfKernels>("csr/loop=four,sorted=yes,subwarp=4", Device());
  CHECK(read.lanes == 4);
  CHECK(read.sorted == true);
  CHECK(read.loop == Loop::four);
  read.rows = 9;
  CHECK(heddle::scheme_with("csr/loop=four,sorted=yes,subwarp=4", read, Device()).to_string() ==
        "csr/subwarp=4,sorted=yes,loop=four");
}

namespace {

/// A format with kernels that only one backend has, and values that differ.
SchemeGrammar of_device(const Device& device) {
  const SchemeKey atomics("transpose", {"atomics"}, scheme_auto);
  const SchemeKey rows("rows", {device.has_lanes() ? "32" : "16"}, scheme_auto);
  if (device.has_lanes()) {
    return {"csr",
            {{"scalar"}, {"subwarp", {"2", std::to_string(device.lanes)}}, {"merge", {}, {rows}}},
            {atomics}};
  }
  return {"csr",
          {{"scalar", {}, {{"simd", {"none", "loads"}, scheme_auto}}}, {"merge", {}, {rows}}},
          {atomics}};
}

PinnedScheme on(int backend, const char* scheme) {
  return heddle::resolve_pinned(
      scheme, heddle::detail::each_backend()[static_cast<std::size_t>(backend)], &of_device);
}
constexpr int cpu = 0, cuda = 1, hip = 2, portable = 3;

}  // namespace

TEST_CASE("what another backend has is idle, and what is left is what runs") {
  const PinnedScheme simd = on(cuda, "csr/scalar,simd=loads,transpose=atomics");
  REQUIRE(simd.scheme);
  CHECK(*simd.scheme == Scheme("csr/scalar,transpose=atomics"));
  CHECK(simd.idle == "simd:loads");
  CHECK(simd.shown(*simd.scheme) == Scheme("csr/scalar,transpose=atomics,idle=simd:loads"));
  CHECK(simd.explain() == "  idle here: simd:loads, of another backend\n");

  const PinnedScheme both = on(cpu, "csr/subwarp=32,scalar,simd=none");
  REQUIRE(both.scheme);
  CHECK(*both.scheme == Scheme("csr/scalar,simd=none"));
  CHECK(both.idle == "subwarp:32");

  const PinnedScheme value = on(cpu, "csr/merge,rows=32");
  REQUIRE(value.scheme);
  CHECK(*value.scheme == Scheme("csr/merge"));
  CHECK(value.idle == "rows:32");
  CHECK(on(cuda, "csr/subwarp=64,merge").idle == "subwarp:64");
  CHECK(on(hip, "csr/subwarp=64").idle.empty());
}

TEST_CASE("a pinned kernel of another backend is chosen anew, and what is every kernel's holds") {
  for (const int backend : {cpu, portable}) {
    const PinnedScheme pinned = on(backend, "csr/subwarp=2,transpose=atomics,rows=16");
    CHECK_FALSE(pinned.scheme);
    CHECK(pinned.idle == "subwarp:2+rows:16");
    REQUIRE(pinned.rest.size() == 1);
    CHECK(pinned.rest.front() == heddle::SchemeTerm("transpose", "atomics"));
  }
}

TEST_CASE("what a plan lists as idle is a scheme of every backend, and says nothing there") {
  for (int from = cpu; from <= portable; ++from) {
    for (const Scheme& scheme : heddle::variants_of(
             of_device(heddle::detail::each_backend()[static_cast<std::size_t>(from)]))) {
      CAPTURE(scheme.to_string());
      for (int to = cpu; to <= portable; ++to) {
        const PinnedScheme pinned = on(to, scheme.to_string().c_str());
        const Scheme shown = pinned.shown(pinned.scheme.value_or(Scheme("csr/scalar")));
        CHECK(Scheme::parse(shown.to_string()) == shown);
        for (int back = cpu; back <= portable; ++back) {
          CHECK_NOTHROW(on(back, shown.to_string().c_str()));
        }
        if (to == from) {
          CHECK(pinned.idle.empty());
          CHECK(*pinned.scheme == scheme);
        }
      }
    }
  }
}

TEST_CASE("what no backend knows is an error, beside what is idle too") {
  const struct {
    int backend;
    const char *scheme, *why;
  } wrong[] = {
      {cpu, "csr/subwrap=2", "csr does not know 'subwrap'"},
      {cuda, "csr/subwrap=2", "did you mean 'subwarp'?"},
      {cpu, "csr/subwarp=2,tanspose=atomics", "did you mean 'transpose'?"},
      {cpu, "csr/subwarp=3", "subwarp"},
      {cpu, "csr/merge,rows=17", "'rows' cannot be '17'"},
      {cuda, "csr/scalar,merge", "several kernels are named"},
      {cpu, "csr/transpose=atomics", "no kernel is named"},
      {cpu, "ell/subwarp=2", "there is no format 'ell'"},
      {cpu, "csr", "no kernel is named"},
  };
  for (const auto& [backend, scheme, why] : wrong) {
    CHECK_THROWS_WITH_AS(on(backend, scheme), doctest::Contains(why), heddle::Error);
  }
}
