// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <type_traits>

#include "../../backends/algorithms/fingerprint.hpp"
#include "../choose.hpp"

namespace heddle::detail {

template <Scalar S>
std::string type_text() {
  return (std::is_floating_point_v<S> ? "real" : "complex") + std::to_string(8 * sizeof(S));
}

/// Beginning of a line of TuningCache: all that every choice of a `plan` depends on except the
/// values.
template <Scalar Vector, Scalar Accumulator, ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off,
          MemorySpace Space>
std::string cache_key(const char* plan, const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                      const Device& device) {
  const auto number = [](auto value) { return " " + std::to_string(value); };
#ifdef HEDDLE_VERSION  // defined by every public header
  std::string key = "heddle " HEDDLE_VERSION " ";
#else
  std::string key = "heddle ";
#endif
  key += plan + ("; " + type_text<S>()) + " " + type_text<Vector>() + " " +
         type_text<Accumulator>() + number(8 * sizeof(O)) + number(8 * sizeof(Off));
  key += "; " + std::string(Exec::name()) + " " + device.name + " " + device.driver +
         number(device.multiprocessors) + number(exec.concurrency());
  key += ";" + number(A.rows()) + " x" + number(A.columns()) + number(A.nonzeros()) +
         number(fingerprint(exec, "heddle::measure::fingerprint", A)) + ";";
  return key;
}

/// Text of the expected vectors in a key.
inline std::string key_text(const ExpectedVectors& vectors) {
  return " " + std::to_string(vectors.count) + (vectors.apart ? " apart" : " side by side");
}

/// Replaces characters of a key that separate fields and lines of the cache.
inline std::string as_key(std::string key) {
  for (char& c : key) {
    if (c == '\t' || c == '\n') c = ' ';
  }
  return key;
}

/// Key of the choice of a product: all that it depends on except the values.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::string cache_key(const Exec& exec, const Matrix& A, const Device& device, AnyFormats formats,
                      const ChooseOptions& options) {
  std::string key = cache_key<Vector, Accumulator>("spmv", exec, A, device);
  key +=
      " " + std::to_string(options.expected_applies) + " applies" + key_text(options.sizes.vectors);
  for (const Op op : options.ops) key += std::string(" ") + name(op);
  if (options.values_in_place) key += " in place";
  if (options.max_bytes != no_bound) key += " bytes " + std::to_string(options.max_bytes);
  key += " symmetry " + std::to_string(static_cast<int>(options.sizes.symmetry)) + "; of";
  for (const FormatRules& format : formats) key += " " + std::string(format.name);
  return as_key(std::move(key));
}

}  // namespace heddle::detail
