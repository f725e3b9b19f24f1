// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of formats that tests share name doctest; no test of it is here.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
