// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "error.hpp"
#include "types.hpp"
#include "version.hpp"

namespace heddle {

/// Any y = A x as one type: a plan, or another object with apply(exec, x, y), rows() and columns().
/// Solvers accept it as their matrix; their instances are then compiled once for all operators.
///
/// An lvalue is borrowed and must outlive the operator and its copies; an rvalue is moved in, and
/// lives as long as the last copy. If A accepts several vectors (`takes_several_vectors`), it gets
/// them at once; otherwise one after the other, in contiguous Views. An apply costs one call
/// through a std::function more than A's. There is no apply_dot, so that conjugate gradients read
/// the vectors of a dot product again.
template <Scalar S, ExecutionSpace Exec = Kokkos::DefaultExecutionSpace>
class Operator {
 public:
  using scalar_type = S;
  using execution_space = Exec;
  static constexpr bool takes_several_vectors = true;

  template <class A>
    requires(!std::same_as<std::remove_cvref_t<A>, Operator>)
  explicit Operator(A&& given) {
    using Held = std::remove_cvref_t<A>;
    std::shared_ptr<const Held> held;
    if constexpr (std::is_lvalue_reference_v<A>) {
      held = std::shared_ptr<const Held>(std::shared_ptr<void>(), std::addressof(given));
    } else {
      held = std::make_shared<const Held>(std::forward<A>(given));
    }
    rows_ = [held] { return static_cast<std::int64_t>(held->rows()); };
    columns_ = [held] { return static_cast<std::int64_t>(held->columns()); };
    one_ = [held](const Exec& exec, const One<const S>& x, const One<S>& y) {
      held->apply(exec, x, y);
    };
    if constexpr (requires { requires Held::takes_several_vectors; }) {
      several_ = [held](const Exec& exec, const Several<const S>& x, const Several<S>& y) {
        held->apply(exec, x, y);
      };
    }
    version_ = [held] {
      if constexpr (HasVersion<Held>) {
        return held->version();
      } else {
        return Version().number();
      }
    };
    if constexpr (requires { held->capturable(); }) capturable_ = held->capturable();
  }
  // A move copies, so that no operator is empty.
  Operator(const Operator&) = default;
  Operator& operator=(const Operator&) = default;
  ~Operator() = default;

  /// y = A x. x and y have rank 1, or rank 2 with equal numbers of vectors. Throws Error if A
  /// accepts one vector at a time and x or y is not contiguous, and whatever A throws.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    if constexpr (X::rank() == 2) {
      if (several_) return several_(exec, x, y);
      if (x.extent(1) != y.extent(1)) {
        throw Error("x holds " + std::to_string(x.extent(1)) + " vectors and y " +
                        std::to_string(y.extent(1)),
                    "give both the same number of vectors");
      }
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        apply(exec, Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j));
      }
    } else {
      if (several_ && !(is_contiguous(x) && is_contiguous(y))) {
        return several_(exec, column<const S>(x), column<S>(y));
      }
      one_(exec, contiguous<const S>(x), contiguous<S>(y));
    }
  }

  std::int64_t rows() const { return rows_(); }
  std::int64_t columns() const { return columns_(); }
  /// The version of A; a new one at each call if A has none.
  VersionNumber version() const { return version_(); }
  /// Whether A's apply may be recorded in a graph; false if A has no capturable().
  bool capturable() const { return capturable_; }

 private:
  using Space = typename Exec::memory_space;
  template <class T>
  using One = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T>
  using Several =
      Kokkos::View<T**, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  template <class V>
  static bool is_contiguous(const V& v) {
    return v.extent(0) < 2 || v.stride(0) == 1;
  }
  template <class T, class V>
  static Several<T> column(const V& v) {
    return Several<T>(v.data(), Kokkos::LayoutStride(v.extent(0), v.stride(0), 1, v.extent(0)));
  }
  template <class T, class V>
  static One<T> contiguous(const V& v) {
    if (is_contiguous(v)) return One<T>(v.data(), v.extent(0));
    throw Error("a vector has stride " + std::to_string(v.stride(0)) +
                    ", and the operator accepts one vector at a time",
                "give contiguous vectors (LayoutLeft), or an operator with takes_several_vectors");
  }

  std::function<std::int64_t()> rows_, columns_;
  std::function<void(const Exec&, const One<const S>&, const One<S>&)> one_;
  std::function<void(const Exec&, const Several<const S>&, const Several<S>&)> several_;
  std::function<VersionNumber()> version_;
  bool capturable_ = false;
};

}  // namespace heddle
