// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_set>

#include "../../core/scheme_grammar.hpp"

using heddle::Scheme;
using heddle::SchemeGrammar;
using heddle::SchemeKey;

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

std::string error_of(const std::string& text) {
  try {
    return heddle::parse_scheme(text, grammars).to_string() + " was accepted";
  } catch (const heddle::Error& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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
  const auto canonical = [](const char* text) {
    return heddle::parse_scheme(text, grammars).to_string();
  };
  CHECK(canonical("blocked-ell/rows=64") == "blocked-ell/rows=64,sigma=256");
  CHECK(canonical("blocked-ell/sigma=1,rows=32") == "blocked-ell/rows=32,sigma=1");
  CHECK(canonical("ell/packs") == "ell/packs,batch=4");
  CHECK(canonical("ell/packs,batch=2,simd=auto") == "ell/packs,batch=2");
  CHECK(canonical("ell/simd=none,packs") == "ell/packs,simd=none,batch=4");
  CHECK(canonical("sptrsv/ng=2,alpha=3") == "sptrsv/ng=2,nw=8,merge=none,order=none,alpha=3");
}

TEST_CASE("what does not exist is an error that lists what does") {
  std::string what = error_of("cssr/scalar");
  CHECK(contains(what, "there is no format 'cssr'"));
  CHECK(contains(what, "did you mean 'csr'?"));
  CHECK(contains(what, "csr, blocked-ell, tiled"));

  what = error_of("csr/subwrap=8");
  CHECK(contains(what, "csr does not know 'subwrap'"));
  CHECK(contains(what, "did you mean 'subwarp'?"));
  CHECK(contains(what, "csr/scalar, csr/subwarp=1|2|4|8, csr/adaptive, csr/merge"));

  CHECK(contains(error_of("csr/subwarp=3"), "'subwarp' cannot be '3'; write subwarp=1|2|4|8"));
  CHECK(contains(error_of("csr/subwarp"), "'subwarp' lacks a value"));
  CHECK(contains(error_of("csr/merge=8"), "'merge' needs no value"));
  CHECK(contains(error_of("csr"), "no kernel is named"));
  CHECK(contains(error_of("csr/merge,scalar"), "several kernels"));
  CHECK(contains(error_of("blocked-ell/sigma=8"), "'rows' is missing"));
  CHECK(
      contains(error_of("blocked-ell/rows=64,depth=2"), "write blocked-ell/rows=<n>,[sigma=<n>]"));
  CHECK_FALSE(contains(error_of("csr/zzzzzz"), "did you mean"));
  for (const char* text :
       {"blocked-ell/rows=0", "blocked-ell/rows=-1", "blocked-ell/rows=064", "blocked-ell/rows=6x",
        "blocked-ell/rows=99999999999999999999", "bcsr/9x1", "bcsr/0x1", "bcsr/3", "tiled/32",
        "coo/x", "sptrsv/ng=4,nw=33", "sptrsv/ng=4,merge=avg:", "sptrsv/ng=4,merge=avg:0"}) {
    CAPTURE(text);
    CHECK_FALSE(contains(error_of(text), "accepted"));
  }
}

TEST_CASE("a kernel's own parameters are its alone") {
  CHECK(contains(error_of("ell/rows,simd=none"), "ell/rows does not know 'simd'"));
  CHECK(contains(error_of("ell/packs,simd=gathers"), "'simd' cannot be 'gathers'"));
  CHECK(contains(error_of("ell/simd=none"), "no kernel is named"));
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
