// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "../../backends/loops.hpp"
#include "../../core/matrix.hpp"

namespace heddle {

namespace detail {

/// The values of a matrix that others are derived from, and how each counts.
template <Scalar S>
struct Source {
  const S* values = nullptr;
  std::int64_t stride = 1;  ///< from one value to the next
  S factor = S(1);
  bool conjugated = false;

  /// A factor of 1 is not multiplied by, so that infinite values stay as they are; with a factor of
  /// 0 nothing is read.
  KOKKOS_FORCEINLINE_FUNCTION S operator()(std::int64_t k) const {
    if (factor == S(0)) return S(0);
    const S value = conjugated ? conjugate(values[k * stride]) : values[k * stride];
    return factor == S(1) ? value : factor * value;
  }
};

/// The entries that each entry of a derived matrix is the sum of: those from `ones` on are of the
/// other matrix. Entries of one matrix are added up in their order, each matrix apart, so that it
/// does not matter which of the two comes first.
template <Scalar S, Offset Off>
struct Sources {
  const Off* first;  ///< null: one source for each entry
  const Off* source;
  std::int64_t ones;
  Source<S> one, other;

  KOKKOS_FORCEINLINE_FUNCTION S term(std::int64_t place) const {
    const auto from = static_cast<std::int64_t>(source[place]);
    return from < ones ? one(from) : other(from - ones);
  }
  KOKKOS_FORCEINLINE_FUNCTION S sum(std::int64_t begin, std::int64_t end) const {
    if (begin == end) return S(0);
    S sum = term(begin);
    for (std::int64_t place = begin + 1; place < end; ++place) sum += term(place);
    return sum;
  }
  /// use(sum of the one, sum of the other, whether the one has entries, and the other).
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION auto with_sums(std::int64_t k, const Use& use) const {
    const std::int64_t begin = first ? static_cast<std::int64_t>(first[k]) : k;
    const std::int64_t end = first ? static_cast<std::int64_t>(first[k + 1]) : k + 1;
    std::int64_t middle = begin;
    while (middle < end && static_cast<std::int64_t>(source[middle]) < ones) ++middle;
    return use(sum(begin, middle), sum(middle, end), begin < middle, middle < end);
  }
};

template <Scalar S>
struct SumFactors {
  S one = S(1), other = S(1);
};

template <Scalar S, Offset Off>
struct PutSums {
  Sources<S, Off> sources;
  S* to;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = sources.with_sums(k, [](const S& one, const S& other, bool has_one, bool has_other) {
      return !has_other ? one : !has_one ? other : one + other;
    });
  }
};

/// What of a derived matrix depends on patterns alone.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
struct Derivation {
  CsrStorage<S, O, Off, Space> storage;
  Arena<Space> kept;
  const Off* first = nullptr;
  const Off* source = nullptr;

  Sources<S, Off> sources(std::int64_t ones, const Source<S>& one, const Source<S>& other) const {
    return {first, source, ones, one, other};
  }
};

inline void check_entries(std::int64_t given, std::int64_t expected) {
  if (given == expected) return;
  throw Error("new values of " + std::to_string(given) + " entries for a matrix derived from " +
                  std::to_string(expected),
              "give values of the same pattern, or derive anew");
}

}  // namespace detail

/// A matrix made from the entries of one or two others: a transpose, a submatrix, a sum, or
/// assembled triplets. It owns its arrays. For each entry it keeps the entries of the others that
/// it is the sum of, so new values take one pass. A handle: copies share the memory.
/// docs/matrices.md
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class DerivedCsr {
 public:
  using Space = typename Exec::memory_space;
  using Storage = CsrStorage<S, O, Off, Space>;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// An empty matrix, to be assigned to.
  DerivedCsr() = default;

  /// The borrowed matrix that other functions take; valid while this object or a copy lives.
  /// Nobody owns the arrays of a temporary any more, so it has none.
  Matrix matrix() const& { return made_.storage.matrix(); }
  Matrix matrix() const&& = delete;
  /// The matrix that owns its arrays, without the map of values.
  const Storage& storage() const& { return made_.storage; }
  Storage storage() const&& { return made_.storage; }
  O rows() const { return made_.storage.rows(); }
  O columns() const { return made_.storage.columns(); }
  Off nonzeros() const { return made_.storage.nonzeros(); }
  /// Device memory that it holds, in bytes.
  std::size_t bytes() const { return made_.storage.bytes() + made_.kept.bytes(); }

  /// Takes the values of A, which has the pattern of the matrix that this one was derived from. One
  /// launch in the order of `exec`: no wait, no allocation. Entries are added up in the order that
  /// they have in A. Throws Error if the number of entries differs, or if this is a sum of two
  /// matrices; another pattern is not detected.
  template <MemorySpace From>
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, From>& A) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    update(exec, A.values().data(), 1);
  }
  /// As above, for a sum of two matrices: one.factor * A + other.factor * B.
  template <MemorySpace From, MemorySpace FromB>
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, From>& A,
                     const CsrMatrix<S, O, Off, FromB>& B) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    detail::check_entries(static_cast<std::int64_t>(B.nonzeros()), others_);
    update(exec, A.values().data(), 1, B.values().data());
  }
  /// As above, with new factors, which copies of this handle take too: alpha * A + beta * B.
  template <MemorySpace From, MemorySpace FromB>
  void update_values(const Exec& exec, S alpha, const CsrMatrix<S, O, Off, From>& A, S beta,
                     const CsrMatrix<S, O, Off, FromB>& B) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    detail::check_entries(static_cast<std::int64_t>(B.nonzeros()), others_);
    factors_->one = alpha;
    factors_->other = beta;
    update_values(exec, A, B);
  }
  /// As above, from the values of triplets, in the order in which they were given: a View of rank 1
  /// that `exec` can access, of any stride.
  template <VectorView Values>
  void update_values(const Exec& exec, const Values& values) {
    static_assert(std::same_as<typename Values::non_const_value_type, S> && Values::rank() == 1,
                  "one value of the matrix's type for each entry");
    detail::check_entries(static_cast<std::int64_t>(values.extent(0)), ones_);
    update(exec, values.data(), static_cast<std::int64_t>(values.stride(0)));
  }

  /// Used by the functions that make one.
  DerivedCsr(detail::Derivation<S, O, Off, Space> made, std::int64_t ones, std::int64_t others,
             const detail::Source<S>& one, const detail::Source<S>& other, bool twice)
      : made_(std::move(made)),
        ones_(ones),
        others_(others),
        one_(one),
        other_(other),
        factors_(std::make_shared<Factors>(Factors{one.factor, other.factor})),
        twice_(twice) {}

 private:
  using Factors = detail::SumFactors<S>;

  /// From the values of one matrix alone: those of both, if both are the same.
  void update(const Exec& exec, const S* ones, std::int64_t stride) {
    if (!twice_ && others_ > 0) {
      throw Error("new values of one matrix for a sum that is made of two matrices", "give both");
    }
    update(exec, ones, stride, ones);
  }
  void update(const Exec& exec, const S* ones, std::int64_t stride, const S* others) {
    detail::Source<S> one = one_, other = other_;
    one.values = ones;
    other.values = others;
    one.stride = stride;
    other.stride = twice_ ? stride : 1;
    one.factor = factors_->one;
    other.factor = factors_->other;
    detail::parallel_for(
        exec, "heddle::matrix::values", static_cast<std::int64_t>(nonzeros()),
        detail::PutSums<S, Off>{made_.sources(ones_, one, other), made_.storage.values().data()});
  }

  detail::Derivation<S, O, Off, Space> made_;
  std::int64_t ones_ = 0;
  std::int64_t others_ = 0;
  detail::Source<S> one_, other_;
  std::shared_ptr<Factors> factors_ = std::make_shared<Factors>();  ///< copies share the values too
  bool twice_ = false;  ///< both sources are the one matrix
};

}  // namespace heddle
