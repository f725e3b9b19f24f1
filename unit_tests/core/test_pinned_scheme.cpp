// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schemes of one backend on another one.
#include <doctest/doctest.h>

#include "../../core/pinned_scheme.hpp"

namespace heddle {

namespace {

/// A format with kernels that only one backend has, and values that differ.
SchemeGrammar grammar(const Device& device) {
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
  return resolve_pinned(scheme, detail::each_backend()[static_cast<std::size_t>(backend)],
                        &grammar);
}
constexpr int cpu = 0, cuda = 1, hip = 2, portable = 3;

std::string error_of(int backend, const char* scheme) {
  try {
    on(backend, scheme);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

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

TEST_CASE("where the kernel is another backend's it is chosen, and what is every kernel's holds") {
  for (const int backend : {cpu, portable}) {
    const PinnedScheme pinned = on(backend, "csr/subwarp=2,transpose=atomics,rows=16");
    CHECK_FALSE(pinned.scheme);
    CHECK(pinned.idle == "subwarp:2+rows:16");
    REQUIRE(pinned.rest.size() == 1);
    CHECK(pinned.rest.front() == SchemeTerm("transpose", "atomics"));
  }
}

TEST_CASE("what a plan lists as idle is a scheme of every backend, and says nothing there") {
  for (int from = cpu; from <= portable; ++from) {
    for (const Scheme& scheme :
         variants_of(grammar(detail::each_backend()[static_cast<std::size_t>(from)]))) {
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
  using doctest::Contains;
  CHECK(Contains("csr does not know 'subwrap'") == error_of(cpu, "csr/subwrap=2"));
  CHECK(Contains("did you mean 'subwarp'?") == error_of(cuda, "csr/subwrap=2"));
  CHECK(Contains("did you mean 'transpose'?") == error_of(cpu, "csr/subwarp=2,tanspose=atomics"));
  CHECK(error_of(cpu, "csr/subwarp=3") != "");
  CHECK(Contains("'rows' cannot be '17'") == error_of(cpu, "csr/merge,rows=17"));
  CHECK(Contains("several kernels are named") == error_of(cuda, "csr/scalar,merge"));
  CHECK(Contains("no kernel is named") == error_of(cpu, "csr/transpose=atomics"));
  CHECK(Contains("there is no format 'ell'") == error_of(cpu, "ell/subwarp=2"));
  CHECK(Contains("no kernel is named") == error_of(cpu, "csr"));
}

}  // namespace heddle
