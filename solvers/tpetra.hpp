// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tpetra/operator.hpp"
#include "tpetra/preconditioner.hpp"

/// Heddle inside programs that use Tpetra::CrsMatrix: Operator and Preconditioner.
