// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "matrix.hpp"
#include "move_only.hpp"
#include "multivector.hpp"
#include "scheme.hpp"
#include "version.hpp"

namespace heddle::detail {

/// A container on the host, such as std::vector, which is often passed instead of a View.
template <class T>
concept HostContainer = requires(const T& elements) {
  elements.data();
  elements.size();
  elements.begin();
};
template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

/// The interface that all plans share. Derived documents and forwards its operation; Core, for a
/// matrix with signed offsets, implements it, in the compiled part if that has the types. Every
/// call on an empty or moved-from plan throws Error, naming Derived::class_name and the function
/// called. Functions without `exec` run on the default instance. `op` is for plans that prepare
/// ops; its default is Op::none, and an op that is not prepared is an Error.
template <class Derived, ExecutionSpace Exec, class Matrix, class Core>
class Plan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Matrix::memory_space>::accessible,
      "the matrix lies in a memory space that the execution space cannot reach");

  template <class First, class... Rest>
    requires(!ExecutionSpace<First> &&
             !((HostContainer<First> || Text<First>) || ... || (HostContainer<Rest> || Text<Rest>)))
  void apply(const First& first, const Rest&... rest) const {
    static_cast<const Derived&>(*this).apply(Exec{}, first, rest...);
  }
  /// Explains at compile time what to pass instead of a container or a string.
  template <class... Given>
    requires((HostContainer<Given> || Text<Given>) || ...)
  void apply(const Given&...) const {
    static_assert(!(Text<Given> || ...), "an op is an enumerator, such as heddle::Op::transpose");
    static_assert(
        (Text<Given> || ...),
        "vectors are Kokkos Views: Kokkos::View<double*, Kokkos::HostSpace, "
        "Kokkos::MemoryTraits<Kokkos::Unmanaged>>(v.data(), v.size()) views a std::vector");
  }

  /// Replaces the values by those of A, which has the inspected pattern; there is no new
  /// inspection. Ordered on `exec`: no wait, no allocation. Throws Error if the sizes differ and,
  /// with options.check_pattern, which waits, if the pattern does. Without that check another
  /// pattern gives wrong results. Diagonals or pivots that are zero or not finite are not an error
  /// here: see bad_row and check_values.
  void update_values(const Exec& exec, const Matrix& A) {
    core("update_values").update_values(exec, with_signed_offsets(A));
    version_.renew();
  }
  void update_values(const Matrix& A) { update_values(Exec{}, A); }

  /// A number on the device, valid in the order of the instance that values were updated on: 0, or
  /// one more than the lowest row whose diagonal or pivot has become zero, infinite or NaN. With
  /// such a row applies give no solution: infinities, NaN, or zeros for an infinite diagonal.
  auto bad_row() const
    requires requires(const Core& core) { core.bad_row(); }
  {
    return core("bad_row").bad_row();
  }
  /// Throws Error, naming the row of bad_row, if there is one. Waits for `exec`.
  void check_values(const Exec& exec) const
    requires requires(const Core& core) { core.bad_row(); }
  {
    core("check_values").check_values(exec);
  }
  void check_values() const
    requires requires(const Core& core) { core.bad_row(); }
  {
    check_values(Exec{});
  }

  /// Prepares `op` if it is not prepared yet. Allocates, and waits for `exec`.
  void prepare(const Exec& exec, Op op)
    requires requires(Core& core) { core.prepare(exec, op); }
  {
    const Kokkos::Timer timer;
    core("prepare").prepare(exec, op);
    setup_seconds_ += timer.seconds();
  }
  void prepare(Op op)
    requires requires(Core& core) { core.prepare(Exec{}, op); }
  {
    prepare(Exec{}, op);
  }

  /// The version of the plan, which changes with every update_values: see Version.
  VersionNumber version() const { return version_.number(); }
  static constexpr bool takes_several_vectors = true;
  /// Whether apply may be recorded in a graph.
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;

  /// The scheme that runs, with every parameter.
  template <std::same_as<Op>... Ops>
  const Scheme& scheme(Ops... op) const {
    return core("scheme").scheme(op...);
  }
  /// The reason for that scheme, in a few words.
  template <std::same_as<Op>... Ops>
    requires requires(const Core& core, Ops... op) { core.choice(op...); }
  const std::string& reason(Ops... op) const {
    return core("reason").choice(op...).reason;
  }
  /// The reason, the properties that it depends on, the first five of the ranking, and the result
  /// of the tuning cache, as several lines of text.
  template <std::same_as<Op>... Ops>
  std::string explain(Ops... op) const {
    return core("explain").explain(op...);
  }
  /// The compared schemes, the best first; measured ones precede all others. Empty if the scheme
  /// was pinned.
  template <std::same_as<Op>... Ops>
    requires requires(const Core& core, Ops... op) { core.choice(op...); }
  const auto& ranking(Ops... op) const {
    return core("ranking").choice(op...).ranking;
  }

  /// Seconds spent on the inspection and on later calls of prepare().
  double setup_seconds() const {
    core("setup_seconds");
    return setup_seconds_;
  }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const { return core("bytes").bytes(); }

 protected:
  using Signed = SignedOffsets<Matrix>;

  Plan() : moves_(made_empty) {}
  /// make() returns a std::unique_ptr<Core>.
  template <std::invocable Make>
  explicit Plan(const Make& make) {
    const Kokkos::Timer timer;
    core_ = make();
    setup_seconds_ = timer.seconds();
  }

  Core& core(const char* called) const {
    moves_.check(Derived::class_name, called);
    return *core_;
  }

 private:
  MoveOnly moves_;
  std::unique_ptr<Core> core_;
  double setup_seconds_ = 0;
  Version version_;
};

/// Checks the types of the vectors of an apply, or of its right-hand side and solution.
template <ExecutionSpace Exec, Scalar V, class X, class Y>
constexpr void assert_vectors() {
  static_assert(
      std::same_as<typename X::non_const_value_type, V> && std::same_as<typename Y::value_type, V>,
      "the vectors hold the plan's Vector type: by default the matrix's scalar");
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Y::memory_space>::accessible,
      "a vector lies in a memory space that the execution space cannot reach");
}

}  // namespace heddle::detail
