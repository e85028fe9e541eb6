#pragma once

// Result<T>: a value or an Error, to be looked at before use.
//
//   HF_TRY(auto text, read_file(path));     declares text, or returns the error to the caller
//   HF_CHECK(write_file(path, text));       for Result<void>

#include "base/error.h"

#include <expected>
#include <utility>

namespace holdfast {

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message, std::string hint = {}, std::string code = {}) {
  return std::unexpected(make_error(kind, std::move(message), std::move(hint), std::move(code)));
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected(std::move(error));
}

}  // namespace holdfast

#define HF_CONCAT_INNER(a, b) a##b
#define HF_CONCAT(a, b) HF_CONCAT_INNER(a, b)

#define HF_TRY(declaration, expression) HF_TRY_NAMED(HF_CONCAT(hf_result_, __LINE__), declaration, expression)
#define HF_TRY_NAMED(name, declaration, expression)           \
  auto name = (expression);                                   \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = *std::move(name)

#define HF_CHECK(expression)                                                                                \
  do {                                                                                                      \
    if (auto hf_checked = (expression); !hf_checked) return std::unexpected(std::move(hf_checked).error()); \
  } while (false)
