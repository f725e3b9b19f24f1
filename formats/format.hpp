// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/product.hpp"
#include "formats.hpp"

/// All that a format of your own needs: docs/own-format.md.
