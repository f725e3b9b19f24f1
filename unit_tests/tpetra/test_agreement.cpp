// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An error on one process is an error on all, and none waits forever.
#include <heddle/tpetra.hpp>
#include <new>
#include <stdexcept>

#include "../support/watchdog.hpp"
#include "support.hpp"

namespace heddle::test {

namespace {

using Mine = heddle::tpetra::Operator<double>;

/// "own" if call() throws Own, "other: " and the message if it throws another Error.
template <class Own, class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const Own&) {
    return "own";
  } catch (const Error& error) {
    return std::string("other: ") + error.what();
  }
  return "nothing";
}

/// Whether process `failed` throws Own and the others report that it failed, and how.
template <class Own, class Call>
bool fails_on_all(int failed, const char* how, const Call& call) {
  const std::string said = thrown<Own>(call);
  CAPTURE(said);
  if (Tpetra::getDefaultComm()->getRank() == failed) {
    CHECK(said == "own");
    return said == "own";
  }
  const std::string expected = "process " + std::to_string(failed) + " failed: ";
  CHECK(said.find(expected) != std::string::npos);
  CHECK(said.find(how) != std::string::npos);
  return said.find(how) != std::string::npos;
}

/// Makes allocations of one label, or of any ("*"), fail within its scope.
struct NoRoomFor {
  explicit NoRoomFor(const char* label) {
    lacking = label;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char* label_of, const void*, std::uint64_t) {
          const std::string wanted = lacking ? lacking : "";
          if (wanted == "*" || wanted == label_of) throw std::bad_alloc();
        });
  }
  ~NoRoomFor() {
    lacking = nullptr;
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  }
  static inline const char* lacking = nullptr;
};

}  // namespace

TEST_CASE("a step that one process cannot do is done by none") {
  const Watchdog watchdog("processes that agree");
  const auto comm = Tpetra::getDefaultComm();
  const int rank = comm->getRank(), last = comm->getSize() - 1;
  const auto step = [&](const auto& error) {
    return [&comm, rank, last, error] {
      heddle::detail::tpetra::agreed(*comm, [&] {
        if (rank == last) throw error;
      });
    };
  };
  fails_on_all<std::bad_alloc>(last, std::bad_alloc().what(), step(std::bad_alloc()));
  fails_on_all<std::logic_error>(last, "odd", step(std::logic_error("odd")));
  fails_on_all<OutOfMemory>(last, "no bytes", step(OutOfMemory("no bytes", "")));
  fails_on_all<int>(last, "no std::exception", step(3));
  fails_on_all<std::logic_error>(last, "aaaaaaaa", step(std::logic_error(std::string(9000, 'a'))));
  int runs = 0;
  heddle::detail::tpetra::agreed(*comm, [&] { ++runs; });
  CHECK(runs == 1);
  // If several processes fail, each throws its own error.
  CHECK(thrown<std::bad_alloc>([&] {
          heddle::detail::tpetra::agreed(*comm, [&] { throw std::bad_alloc(); });
        }) == "own");
}

TEST_CASE("a process without memory for its part of the matrix") {
  const Watchdog watchdog("the constructor of an Operator");
  const auto A = make_matrix(60, 60, Layout::runs, Layout::cards, Layout::runs);
  const auto comm = A->getComm();
  if (comm->getSize() == 1) return;
  for (const char* label : {"heddle::tpetra::places", "heddle::csr::storage"}) {
    CAPTURE(label);
    const NoRoomFor none(comm->getRank() == 0 ? label : "");
    const std::string said = thrown<std::bad_alloc>([&] {
      try {
        Mine(A, {.split = true});
      } catch (const OutOfMemory&) {  // an Arena's, for Kokkos' exception
        throw std::bad_alloc();
      }
    });
    CHECK((said == "own") == (comm->getRank() == 0));
    if (comm->getRank() != 0) CHECK(said.find("process 0 failed: ") != std::string::npos);
  }
}

TEST_CASE("a mode that one process cannot prepare at its first apply") {
  const Watchdog watchdog("an apply of an Operator");
  const auto A = make_matrix(60, 60, Layout::runs, Layout::runs, Layout::runs);
  const auto x = make_vectors(A->getRangeMap(), 2, 1), y = make_vectors(A->getDomainMap(), 2, 2);
  for (const bool split : {true, false}) {
    tpetra::OperatorOptions options{.plan = {.scheme = Scheme::parse("csr/scalar")},
                                    .split = split};
    if (A->getComm()->getRank() == 0) options.plan.max_bytes = 64;
    const Mine mine(A, options);
    for (int repeat = 0; repeat < 2; ++repeat) {
      fails_on_all<Refusal>(0, "max_bytes", [&] { mine.apply(*x, *y, Teuchos::TRANS); });
    }
    mine.apply(*x, *y);
  }
}

TEST_CASE("a process without memory for vectors") {
  const Watchdog watchdog("an apply of an Operator");
  const auto A = make_matrix(60, 60, Layout::runs, Layout::cards, Layout::runs);
  const Mine mine(A);
  const auto x = make_vectors(A->getDomainMap(), 3, 1), y = make_vectors(A->getRangeMap(), 3, 2);
  if (A->getComm()->getSize() == 1) return;
  const bool fails = A->getComm()->getRank() == 0;
  {
    const NoRoomFor none(fails ? "*" : "");
    const std::string said = thrown<std::bad_alloc>([&] { mine.apply(*x, *y); });
    CHECK(said.find(fails ? "own" : "process 0 failed: ") != std::string::npos);
  }
  mine.apply(*x, *y);
  const auto expected = make_vectors(A->getRangeMap(), 3, 2);
  A->apply(*x, *expected);
  CHECK(difference(*expected, *y) < 1e-13);
}

}  // namespace heddle::test
