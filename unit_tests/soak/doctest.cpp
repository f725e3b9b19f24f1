// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the formats that tests share are compiled with names doctest, though no test of it is here.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
