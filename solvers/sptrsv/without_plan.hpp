// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../formats/compiled.hpp"
#include "options.hpp"

namespace heddle {

/// Device memory for solves without a plan, in which rows pass values on: on a GPU one word of
/// Vector for every row and right-hand side (complex<double>: two), on a CPU half a word for every
/// row. It keeps nothing between solves, so one workspace serves all triangles with as many rows or
/// fewer, whatever their options. It serves one solve at a time: solves on two streams that may
/// overlap need one each. It can be moved, not copied.
///
/// Make it once and keep it: Kokkos waits for the device when memory is released, and for the
/// stream when it is allocated.
template <ExecutionSpace Exec, Scalar Vector>
class SptrsvWorkspace {
 public:
  /// A workspace for triangles of up to `rows` rows. One pass over the triangle solves `vectors`
  /// right-hand sides, at most 4; b may hold more. Allocates, in the order of `exec`.
  explicit SptrsvWorkspace(const Exec& exec, std::int64_t rows, int vectors = 1);

  std::int64_t rows() const { return rows_; }
  int vectors() const { return vectors_; }
  std::size_t bytes() const { return memory_.bytes(); }

  /// Whether it was moved from; it then serves no solve until another is assigned to it.
  bool moved_from() const { return moves_.moved_from(); }

  /// For the library: the words, and the counter from which teams draw their order.
  void* words() const { return words_; }
  std::uint32_t* next_ticket() const { return next_ticket_; }

 private:
  detail::MoveOnly moves_;
  std::int64_t rows_;
  int vectors_;
  Arena<typename Exec::memory_space> memory_;
  void* words_ = nullptr;
  std::uint32_t* next_ticket_ = nullptr;
};

namespace detail::sptrsv {

/// The type by which is_defined knows solve_without_plan.
template <class V>
struct WithoutPlanKernels;

/// See heddle::sptrsv. Defined in solve_without_plan.hpp.
template <Scalar V, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void solve_without_plan(const Exec& exec, V alpha, const CsrMatrix<S, O, Off, Space>& T,
                        const Multivector<const V>& b, const Multivector<V>& x,
                        const SptrsvWorkspace<Exec, V>& workspace, const SptrsvOptions& options);

}  // namespace detail::sptrsv

/// Solves T x = alpha * b at once, for the triangle of T that `options` select, without inspection.
/// Queued on `exec`: no allocation, no copy, no wait. For triangles that are solved with once or
/// twice; for others use SptrsvPlan. May be captured in a CUDA or HIP graph.
///
/// T is square; its columns may be in any order, and repeated entries add up. b and x have T.rows()
/// rows, are of rank 1, or of rank 2 with equal numbers of vectors, in any layout, and hold the
/// workspace's Vector. x is b itself or does not overlap it. x is rounded to Vector before other
/// rows read it, and sums are kept in Vector. alpha == 0 sets x to zero and reads neither T nor b.
///
/// Reads triangle, diagonal and ignore_outside of `options`; the other options are for plans.
///
/// Throws Error if the op is not Op::none or a scheme is pinned (both need an SptrsvPlan), if
/// shapes do not fit, if b and x overlap in part, or if the workspace is for fewer rows or was
/// moved from.
///
/// Not checked, since a check would wait for the device:
///
/// - The row pointer and the columns must be right: a column out of range reads other memory, or
///   waits for ever.
/// - If a diagonal entry that is needed is missing or zero, x is infinite or NaN in its row and in
///   the rows that depend on it.
/// - Entries outside the triangle make their row NaN unless they are ignored.
///
/// Bitwise reproducible: one thread adds up each row, in the order of its entries. On CUDA and HIP
/// rows are lanes that wait for each other, in two launches for each SptrsvWorkspace::vectors()
/// columns. On a CPU threads take chunks of rows in order and wait for each other. With
/// Portable<Exec>, which has no waits, one thread solves for each vector. Source: W. Liu et al., "A
/// synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView B,
          WritableVectorView X>
void sptrsv(const Exec& exec, Op op, typename X::value_type alpha,
            const CsrMatrix<S, O, Off, Space>& T, const B& b, const X& x,
            const SptrsvWorkspace<Exec, typename X::value_type>& workspace,
            const SptrsvOptions& options = {}) {
  using V = typename X::value_type;
  static_assert(std::same_as<typename B::non_const_value_type, V>, "b and x hold the same type");
  static_assert(Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible,
                "the matrix lies in a memory space that the execution space cannot reach");
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename B::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible,
      "b or x lies in a memory space that the execution space cannot reach");
  if (op != Op::none) {
    throw Error(std::string("a triangular solve without a plan has no op ") + name(op),
                "make an SptrsvPlan, which has every op");
  }
  if (options.scheme) {
    throw Error("a triangular solve without a plan has no scheme " + options.scheme->to_string(),
                "make an SptrsvPlan, which runs pinned schemes");
  }
  using Signed = SignedOffsets<CsrMatrix<S, O, Off, Space>>;
  HEDDLE_ASSERT_DEFINED(detail::is_defined<detail::sptrsv::WithoutPlanKernels<V>> ||
                        detail::is_compiled<Exec, Signed, V>());
  detail::sptrsv::solve_without_plan<V>(exec, alpha, with_signed_offsets(T),
                                        multivector_of<const V>(b), multivector_of<V>(x), workspace,
                                        options);
}

/// Solves T x = alpha * b at once, with Op::none.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView B,
          WritableVectorView X>
void sptrsv(const Exec& exec, typename X::value_type alpha, const CsrMatrix<S, O, Off, Space>& T,
            const B& b, const X& x, const SptrsvWorkspace<Exec, typename X::value_type>& workspace,
            const SptrsvOptions& options = {}) {
  sptrsv(exec, Op::none, alpha, T, b, x, workspace, options);
}

}  // namespace heddle
