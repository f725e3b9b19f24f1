// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../../core/error.hpp"

/// The algorithms of Kokkos Kernels, by their names. Kokkos Kernels' own enumerators are accepted
/// too, recognized by their names.
namespace heddle::kk {

/// Algorithms of products. SPMV_DEFAULT and SPMV_NATIVE: the choice of `choose` for many products.
/// SPMV_FAST_SETUP: no inspection. SPMV_MERGE_PATH and SPMV_NATIVE_MERGE_PATH: the scheme
/// csr/merge.
enum SPMVAlgorithm {
  SPMV_DEFAULT,
  SPMV_FAST_SETUP,
  SPMV_NATIVE,
  SPMV_MERGE_PATH,
  SPMV_NATIVE_MERGE_PATH
};

/// Algorithms of triangular solves. With all of them Heddle chooses the scheme. SPTRSV_CUSPARSE
/// differs in that values hold from one sptrsv_symbolic to the next, as in cuSPARSE.
enum class SPTRSVAlgorithm { SEQLVLSCHD_RP, SEQLVLSCHD_TP1, SEQLVLSCHD_TP1CHAIN, SPTRSV_CUSPARSE };

/// Algorithms of incomplete factors.
enum class SPILUKAlgorithm { SEQLVLSCHD_TP1 };

/// An enumerator of Heddle or of Kokkos Kernels.
template <class E>
concept AnySPMVAlgorithm = std::is_enum_v<E> && requires {
  E::SPMV_DEFAULT;
  E::SPMV_FAST_SETUP;
  E::SPMV_NATIVE;
  E::SPMV_MERGE_PATH;
  E::SPMV_NATIVE_MERGE_PATH;
};
template <class E>
concept AnySPTRSVAlgorithm = std::is_enum_v<E> && requires {
  E::SEQLVLSCHD_RP;
  E::SEQLVLSCHD_TP1;
  E::SEQLVLSCHD_TP1CHAIN;
  E::SPTRSV_CUSPARSE;
};

/// An enumerator of algorithms of incomplete factors, Heddle's or Kokkos Kernels'.
template <class E>
concept AnySPILUKAlgorithm =
    std::is_enum_v<E> && requires { E::SEQLVLSCHD_TP1; } && !AnySPTRSVAlgorithm<E>;

/// Kokkos Kernels' enumerator as Heddle's, which has one only.
template <AnySPILUKAlgorithm E>
SPILUKAlgorithm algorithm_of(E) {
  return SPILUKAlgorithm::SEQLVLSCHD_TP1;
}

/// Kokkos Kernels' enumerator as Heddle's. Throws Error for those of block rows (SPMV_BSR_*).
template <AnySPMVAlgorithm E>
SPMVAlgorithm algorithm_of(E theirs) {
  switch (theirs) {
    case E::SPMV_DEFAULT: return SPMV_DEFAULT;
    case E::SPMV_FAST_SETUP: return SPMV_FAST_SETUP;
    case E::SPMV_NATIVE: return SPMV_NATIVE;
    case E::SPMV_MERGE_PATH: return SPMV_MERGE_PATH;
    case E::SPMV_NATIVE_MERGE_PATH: return SPMV_NATIVE_MERGE_PATH;
    default: break;
  }
  throw Error("the algorithm is for matrices of blocks, and A is in compressed rows",
              "give SPMV_DEFAULT, which finds blocks, or pin the scheme bcsr/RxC");
}

/// Kokkos Kernels' enumerator as Heddle's. Throws Error for the supernodal ones.
template <AnySPTRSVAlgorithm E>
SPTRSVAlgorithm algorithm_of(E theirs) {
  switch (theirs) {
    case E::SEQLVLSCHD_RP: return SPTRSVAlgorithm::SEQLVLSCHD_RP;
    case E::SEQLVLSCHD_TP1: return SPTRSVAlgorithm::SEQLVLSCHD_TP1;
    case E::SEQLVLSCHD_TP1CHAIN: return SPTRSVAlgorithm::SEQLVLSCHD_TP1CHAIN;
    case E::SPTRSV_CUSPARSE: return SPTRSVAlgorithm::SPTRSV_CUSPARSE;
    default: break;
  }
  throw Error("a supernodal algorithm needs factors by columns, with their supernodes",
              "give the factor as a matrix in compressed rows, and SEQLVLSCHD_TP1");
}

}  // namespace heddle::kk
