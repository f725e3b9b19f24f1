// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Tpetra_Core.hpp>

int main(int argc, char** argv) {
  Tpetra::ScopeGuard tpetra(&argc, &argv);
  return doctest::Context(argc, argv).run();
}
