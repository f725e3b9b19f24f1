// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "spiluk_handle.hpp"
#include "sptrsv_handle.hpp"

namespace heddle::kk {

/// The counterpart of KokkosKernels::Experimental::KokkosKernelsHandle for triangular solves and
/// incomplete factors. It can be moved, not copied.
template <class SizeType, class LocalOrdinal, class ScalarType, ExecutionSpace Exec,
          class TemporarySpace, class PersistentSpace>
class KokkosKernelsHandle {
 public:
  using SPTRSVHandleType =
      SPTRSVHandle<SizeType, LocalOrdinal, ScalarType, Exec, TemporarySpace, PersistentSpace>;
  using SPILUKHandleType =
      SPILUKHandle<SizeType, LocalOrdinal, ScalarType, Exec, TemporarySpace, PersistentSpace>;
  using size_type = typename SPTRSVHandleType::size_type;
  using nnz_lno_t = typename SPTRSVHandleType::nnz_lno_t;
  using nnz_scalar_t = typename SPTRSVHandleType::nnz_scalar_t;
  using HandleExecSpace = Exec;

  /// For a triangle of `rows` rows, with an algorithm of Heddle or Kokkos Kernels. Throws Error for
  /// a supernodal algorithm, and for a block size other than 0.
  template <AnySPTRSVAlgorithm E>
  void create_sptrsv_handle(E algorithm, std::size_t rows, bool lower, std::size_t block_size = 0) {
    if (block_size != 0) {
      throw Error("a triangle of blocks of " + std::to_string(block_size),
                  "give the triangle as a matrix in compressed rows");
    }
    const SptrsvOptions options{.triangle = lower ? Triangle::lower : Triangle::upper};
    sptrsv_ = std::make_unique<SPTRSVHandleType>(algorithm_of(algorithm), rows, options);
  }
  /// As above, with the options of an SptrsvPlan: a unit diagonal, a pinned scheme, one triangle of
  /// an LU matrix.
  void create_sptrsv_handle(const SptrsvOptions& options, std::size_t rows) {
    sptrsv_ = std::make_unique<SPTRSVHandleType>(SPTRSVAlgorithm::SEQLVLSCHD_TP1, rows, options);
  }

  void destroy_sptrsv_handle() { sptrsv_.reset(); }
  /// Null before it is created.
  SPTRSVHandleType* get_sptrsv_handle() const { return sptrsv_.get(); }
  bool is_sptrsv_lower_tri() const { return sptrsv_handle().is_lower_tri(); }
  /// Throws Error before it is created.
  SPTRSVHandleType& sptrsv_handle() const {
    if (sptrsv_) return *sptrsv_;
    throw Error("a triangular solve with a handle that has no sptrsv handle",
                "call create_sptrsv_handle first");
  }

  /// For factors of a matrix of `rows` rows, with room for these numbers of entries of L and U,
  /// with an algorithm of Heddle or Kokkos Kernels. Throws Error for a block size other than 0.
  template <AnySPILUKAlgorithm E>
  void create_spiluk_handle(E algorithm, std::size_t rows, std::size_t lower, std::size_t upper,
                            std::size_t block_size = 0) {
    if (block_size != 0) {
      throw Error("factors of blocks of " + std::to_string(block_size),
                  "give the matrix in compressed rows; IluOptions::block_size is block ILU");
    }
    spiluk_ = std::make_unique<SPILUKHandleType>(algorithm_of(algorithm), rows, lower, upper);
  }
  void destroy_spiluk_handle() { spiluk_.reset(); }
  /// Null before it is created.
  SPILUKHandleType* get_spiluk_handle() const { return spiluk_.get(); }
  /// Throws Error before it is created.
  SPILUKHandleType& spiluk_handle() const {
    if (spiluk_) return *spiluk_;
    throw Error("a factorization with a handle that has no spiluk handle",
                "call create_spiluk_handle first");
  }

 private:
  std::unique_ptr<SPTRSVHandleType> sptrsv_;
  std::unique_ptr<SPILUKHandleType> spiluk_;
};

/// Whether T is a KokkosKernelsHandle.
template <class T>
inline constexpr bool is_kernels_handle = false;
template <class... T>
inline constexpr bool is_kernels_handle<KokkosKernelsHandle<T...>> = true;

}  // namespace heddle::kk
