// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../few_formats.hpp"

DEMO_FORMAT(, CsrFormat)
DEMO_FORMAT(, BcsrFormat)
DEMO_PLAN()
DEMO_PATTERN()
DEMO_CHOICE()
