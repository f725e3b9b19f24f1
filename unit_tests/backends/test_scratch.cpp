// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <string>

#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"
#include "../../core/error.hpp"
#include "lanes.hpp"

namespace heddle::test {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
using Shape = backends::Shape<1, 128>;

TEST_CASE("scratch is sized by what is taken from it") {
  CHECK(backends::scratch_bytes<char>(0) == 0);
  CHECK(backends::scratch_bytes<char>(1) == 16);
  CHECK(backends::scratch_bytes<char, double, int>(3, 2, 5) == 16 + 16 + 32);
}

// Each team fills its scratch with words of its own, and reads those of its other threads.
struct FillScratch {
  using Scratch = backends::DynamicScratch;
  int words;
  int* wrong;
  int* left;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    char* const odd = scratch.take<char>(3);
    int* const word = scratch.take<int>(words);
    double* const last = scratch.take<double>(1);
    bool right = reinterpret_cast<std::uintptr_t>(word) % backends::scratch_alignment_bytes == 0;
    for (int i = team.thread(); i < words; i += team.threads) word[i] = value(team, i);
    if (team.thread() == 0) odd[0] = odd[1] = odd[2] = 'x';
    if (team.thread() == team.threads - 1) *last = 0.5;
    team.barrier();
    for (int i = team.threads - 1 - team.thread(); i < words; i += team.threads) {
      right = right && word[i] == value(team, i);
    }
    if (!right || odd[2] != 'x' || *last != 0.5) Kokkos::atomic_inc(wrong);
    if (team.thread() == 0) left[team.index()] = static_cast<int>(scratch.bytes());
  }

  template <class Team>
  KOKKOS_FUNCTION static int value(const Team& team, int i) {
    return static_cast<int>(team.index()) * 1000003 + i;
  }
};

struct IgnoreScratch {
  using Scratch = backends::DynamicScratch;
  int* teams;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == 0 && scratch.bytes() == 0) Kokkos::atomic_inc(teams);
  }
};

TEST_CASE_TEMPLATE_DEFINE("a launch sizes scratch", Type, sizes) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const std::size_t most = backends::describe(exec).scratch_bytes;
  const int teams = 300;
  for (const std::size_t wanted : {std::size_t{64}, std::size_t{4096}, std::size_t{30000},
                                   std::size_t{49152}, std::size_t{60000}, most, most / 2}) {
    if (wanted > most) continue;
    CAPTURE(wanted);
    const int words = static_cast<int>((wanted - 48) / sizeof(int)) / 4 * 4;
    const std::size_t bytes = backends::scratch_bytes<char, int, double>(3, words, 1);
    REQUIRE(bytes <= wanted);
    const auto wrong = to_device(exec, std::vector<int>(1));
    const auto left = to_device(exec, std::vector<int>(teams, -1));
    backends::launch<Shape>(exec, "heddle::test::fill_scratch", teams,
                            FillScratch{words, wrong.data(), left.data()}, wanted);
    CHECK(to_host(exec, wrong)[0] == 0);
    const auto bytes_left = to_host(exec, left);
    CHECK(std::count(bytes_left.begin(), bytes_left.end(), static_cast<int>(wanted - bytes)) ==
          teams);
    CHECK(backends::resident_teams<Shape, FillScratch>(exec, wanted) >= 1);
  }
}
TEST_CASE_TEMPLATE_APPLY(sizes, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("scratch may be of no bytes", Type, none) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const auto teams = to_device(exec, std::vector<int>(1));
  backends::launch<Shape>(exec, "heddle::test::no_scratch", 50, IgnoreScratch{teams.data()}, 0);
  CHECK(to_host(exec, teams)[0] == 50);
}
TEST_CASE_TEMPLATE_APPLY(none, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("in order, with scratch", Type, in_order) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const int teams = 1000, words = 500;
  const auto wrong = to_device(exec, std::vector<int>(1));
  const auto left = to_device(exec, std::vector<int>(teams, -1));
  const auto next = to_device(exec, std::vector<std::uint32_t>(1));
  const std::size_t most = backends::describe(exec).scratch_bytes;
  for (const std::size_t bytes : {backends::scratch_bytes<char, int, double>(3, words, 1), most}) {
    backends::launch_by_ticket<Shape>(exec, "heddle::test::fill_scratch_in_order", teams,
                                      FillScratch{words, wrong.data(), left.data()},
                                      backends::Tickets{next.data()}, bytes);
  }
  CHECK(to_host(exec, wrong)[0] == 0);
  const auto bytes_left = to_host(exec, left);
  CHECK(std::count(bytes_left.begin(), bytes_left.end(), -1) == 0);
}
TEST_CASE_TEMPLATE_APPLY(in_order, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("too much scratch is refused, and nothing runs", Type, too_much) {
  using Exec = typename Type::Exec;
  const Exec exec;
  const std::size_t most = backends::describe(exec).scratch_bytes;
  const auto teams = to_device(exec, std::vector<int>(1));
  const IgnoreScratch kernel{teams.data()};
  std::string message;
  try {
    backends::launch<Shape>(exec, "heddle::test::too_much", 50, kernel, most + 1);
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("heddle::test::too_much asks for " + std::to_string(most + 1) + " bytes") !=
        std::string::npos);
  CHECK(to_host(exec, teams)[0] == 0);
  backends::launch<Shape>(exec, "heddle::test::no_scratch", 50, kernel, 0);
  CHECK(to_host(exec, teams)[0] == 50);
}
TEST_CASE_TEMPLATE_APPLY(too_much, Everywhere);

}  // namespace heddle::test
