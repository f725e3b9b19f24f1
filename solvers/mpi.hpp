// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <span>
#include <string>

#include "../core/error.hpp"
#include "krylov/options.hpp"

namespace heddle {

/// The reduction over the processes of `comm`, for KrylovOptions::reduction: one MPI_Allreduce of
/// doubles. `comm` must live as long as the solver. All processes must get the same bits from
/// MPI_Allreduce, as they do from MPICH and Open MPI, and compute the same ones from them: their
/// processors are of one kind. The order of the sums is MPI's. Where `comm` returns errors, the
/// reduction throws Error; by default MPI ends the program.
inline Reduction mpi_reduction(MPI_Comm comm) {
  return [comm](std::span<double> numbers) {
    const int code = MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                   MPI_DOUBLE, MPI_SUM, comm);
    if (code != MPI_SUCCESS) {
      throw Error("MPI_Allreduce returned the code " + std::to_string(code),
                  "end the program: the other processes may wait");
    }
  };
}

}  // namespace heddle
