// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/product.hpp"
#include "formats.hpp"

/// What a format of your own is made of: docs/own-format.md.
