// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_CommHelpers.hpp>
#include <cstring>
#include <exception>
#include <string>

#include "../../core/error.hpp"

namespace heddle::detail::tpetra {

/// Runs step() on every process of `comm`, and throws on all of them if it throws on one: else the
/// others would wait for that one for ever, in the next message. A process on which it threw
/// throws its own exception again; the others an Error that names the first such process and says
/// what it said. The step itself sends nothing. Collective: one reduction, and no allocation of its
/// own where the step succeeds or memory has run out.
template <class Step>
void agreed(const Teuchos::Comm<int>& comm, const Step& step) {
  char said[512] = "an exception that is no std::exception";
  std::exception_ptr mine;
  try {
    step();
  } catch (const std::exception& error) {
    mine = std::current_exception();
    std::strncpy(said, error.what(), sizeof(said) - 1);
  } catch (...) {
    mine = std::current_exception();
  }
  const int processes = comm.getSize();
  int first = processes;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MIN, mine ? comm.getRank() : processes,
                     Teuchos::outArg(first));
  if (first == processes) return;
  Teuchos::broadcast<int, char>(comm, first, static_cast<int>(sizeof(said)), said);
  if (mine) std::rethrow_exception(mine);
  throw Error("process " + std::to_string(first) + " failed: " + said,
              "what is wrong there is wrong for all processes");
}

}  // namespace heddle::detail::tpetra
