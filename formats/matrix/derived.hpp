// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../backends/loops.hpp"
#include "../../core/matrix.hpp"

namespace heddle {

namespace detail {

/// The values of a matrix that others are derived from, and how each counts.
template <Scalar S>
struct Source {
  const S* values = nullptr;
  S factor = S(1);
  bool conjugated = false;

  /// A factor of 1 is not multiplied by, so that infinite values stay as they are; with a factor of
  /// 0 nothing is read.
  KOKKOS_FORCEINLINE_FUNCTION S operator()(std::int64_t k) const {
    if (factor == S(0)) return S(0);
    const S value = conjugated ? conjugate(values[k]) : values[k];
    return factor == S(1) ? value : factor * value;
  }
};

/// Entry k is the sum of its sources, in their order; of those from `ones` on, of the other matrix.
template <Scalar S, Offset Off>
struct SumOfSources {
  S* to;
  const Off* first;  ///< null: one source for each entry
  const Off* source;
  std::int64_t ones;
  Source<S> one, other;

  KOKKOS_FORCEINLINE_FUNCTION S term(std::int64_t place) const {
    const auto from = static_cast<std::int64_t>(source[place]);
    return from < ones ? one(from) : other(from - ones);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t begin = first ? static_cast<std::int64_t>(first[k]) : k;
    const std::int64_t end = first ? static_cast<std::int64_t>(first[k + 1]) : k + 1;
    S sum = term(begin);
    for (std::int64_t place = begin + 1; place < end; ++place) sum += term(place);
    to[k] = sum;
  }
};

/// What of a derived matrix depends on patterns alone.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
struct Derivation {
  CsrStorage<S, O, Off, Space> storage;
  Arena<Space> kept;
  const Off* first = nullptr;
  const Off* source = nullptr;
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
  Matrix matrix() const { return made_.storage.matrix(); }
  /// The matrix that owns its arrays, without the map of values.
  const Storage& storage() const { return made_.storage; }
  O rows() const { return made_.storage.rows(); }
  O columns() const { return made_.storage.columns(); }
  Off nonzeros() const { return made_.storage.nonzeros(); }
  /// Device memory that it holds, in bytes.
  std::size_t bytes() const { return made_.storage.bytes() + made_.kept.bytes(); }

  /// Takes the values of A, which has the pattern of the matrix that this one was derived from. One
  /// launch in the order of `exec`: no wait, no allocation. Entries are added up in the order that
  /// they have in A. Throws Error if the number of entries differs; another pattern is not
  /// detected.
  template <MemorySpace From>
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, From>& A) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    update(exec, A.values().data(), twice_ ? A.values().data() : nullptr);
  }
  /// As above, for a sum of two matrices: one.factor * A + other.factor * B.
  template <MemorySpace From, MemorySpace FromB>
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, From>& A,
                     const CsrMatrix<S, O, Off, FromB>& B) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    detail::check_entries(static_cast<std::int64_t>(B.nonzeros()), others_);
    update(exec, A.values().data(), B.values().data());
  }
  /// As above, with new factors: alpha * A + beta * B.
  template <MemorySpace From, MemorySpace FromB>
  void update_values(const Exec& exec, S alpha, const CsrMatrix<S, O, Off, From>& A, S beta,
                     const CsrMatrix<S, O, Off, FromB>& B) {
    one_.factor = alpha;
    other_.factor = beta;
    update_values(exec, A, B);
  }
  /// As above, from the values of triplets, in the order in which they were given.
  template <VectorView Values>
  void update_values(const Exec& exec, const Values& values) {
    static_assert(std::same_as<typename Values::non_const_value_type, S> && Values::rank() == 1,
                  "one value of the matrix's type for each entry");
    detail::check_entries(static_cast<std::int64_t>(values.extent(0)), ones_);
    update(exec, values.data(), nullptr);
  }

  /// Used by the functions that make one.
  DerivedCsr(detail::Derivation<S, O, Off, Space> made, std::int64_t ones, std::int64_t others,
             const detail::Source<S>& one, const detail::Source<S>& other, bool twice)
      : made_(std::move(made)),
        ones_(ones),
        others_(others),
        one_(one),
        other_(other),
        twice_(twice) {}

 private:
  void update(const Exec& exec, const S* ones, const S* others) {
    one_.values = ones;
    other_.values = others;
    detail::parallel_for(exec, "heddle::matrix::values", static_cast<std::int64_t>(nonzeros()),
                         detail::SumOfSources<S, Off>{made_.storage.values().data(), made_.first,
                                                      made_.source, ones_, one_, other_});
  }

  detail::Derivation<S, O, Off, Space> made_;
  std::int64_t ones_ = 0;
  std::int64_t others_ = 0;
  detail::Source<S> one_, other_;
  bool twice_ = false;  ///< both sources are the one matrix
};

}  // namespace heddle
