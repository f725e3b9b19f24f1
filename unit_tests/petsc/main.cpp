// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <petscsys.h>

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  const int failed = doctest::Context(argc, argv).run();
  PetscCall(PetscFinalize());
  return failed;
}
