// The way in: Boost.JSON's tokenizer with our own numbers.
//
// Boost.JSON 1.81 computes doubles with an error of up to one ulp and lets 1e400 become infinity.
// The handler below takes the text of the number instead, so that what append_json writes reads back
// equal. Everything else is what the library's own parser does.

#include "base/json/json.h"
#include "base/text/text.h"

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <exception>

namespace holdfast {
namespace {

namespace bj = boost::json;

constexpr std::size_t kParseBuffer = 4096;  // on the stack; most messages need no other scratch memory

struct ValueBuilder {
  static constexpr std::size_t max_object_size = bj::object::max_size();
  static constexpr std::size_t max_array_size = bj::array::max_size();
  static constexpr std::size_t max_key_size = bj::string::max_size();
  static constexpr std::size_t max_string_size = bj::string::max_size();

  ValueBuilder(unsigned char* buffer, std::size_t size) : stack(bj::storage_ptr(), buffer, size) { stack.reset(); }

  bool on_document_begin(bj::error_code&) { return true; }
  bool on_document_end(bj::error_code&) { return true; }
  bool on_object_begin(bj::error_code&) { return true; }
  bool on_object_end(std::size_t count, bj::error_code&) {
    stack.push_object(count);
    return true;
  }
  bool on_array_begin(bj::error_code&) { return true; }
  bool on_array_end(std::size_t count, bj::error_code&) {
    stack.push_array(count);
    return true;
  }
  bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(bj::string_view rest, std::size_t, bj::error_code&) {
    stack.push_key(rest);
    return true;
  }
  bool on_string_part(bj::string_view part, std::size_t, bj::error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(bj::string_view rest, std::size_t, bj::error_code&) {
    stack.push_string(rest);
    return true;
  }
  bool on_number_part(bj::string_view, bj::error_code&) { return true; }
  bool on_int64(std::int64_t number, bj::string_view, bj::error_code&) {
    stack.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, bj::string_view, bj::error_code&) {
    stack.push_uint64(number);
    return true;
  }
  // The text is whole because the input comes in one piece.
  bool on_double(double approximate, bj::string_view text, bj::error_code& error) {
    double exact = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (status == std::errc::result_out_of_range && std::abs(approximate) < 1) {
      exact = std::copysign(0.0, approximate);  // too small to tell from zero
    } else if (status != std::errc() || !std::isfinite(exact)) {
      error = bj::error::exponent_overflow;
      return false;
    }
    stack.push_double(exact);
    return true;
  }
  bool on_bool(bool flag, bj::error_code&) {
    stack.push_bool(flag);
    return true;
  }
  bool on_null(bj::error_code&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
  bool on_comment(bj::string_view, bj::error_code&) { return true; }

  bj::value_stack stack;
};

std::string_view words_for(const bj::error_code& error) {
  if (error == bj::error::extra_data) return "more text behind the value";
  if (error == bj::error::incomplete) return "the text ends before the value does";
  if (error == bj::error::exponent_overflow) return "a number is too large for a double";
  if (error == bj::error::illegal_leading_surrogate || error == bj::error::illegal_trailing_surrogate) {
    return "half of a surrogate pair";
  }
  if (error == bj::error::expected_hex_digit) return "a \\u escape needs four hexadecimal digits";
  return "syntax error, or bytes that are not UTF-8";
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return fail(ErrorKind::too_large, fmt::format("JSON text of {} bytes; the limit is {}", text.size(), limits.max_bytes));
  }
  const std::size_t skipped = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  text.remove_prefix(skipped);

  bj::parse_options options;
  options.max_depth = limits.max_depth;
  unsigned char buffer[kParseBuffer];
  try {
    bj::basic_parser<ValueBuilder> parser(options, buffer, sizeof buffer);
    bj::error_code error;
    const std::size_t consumed = parser.write_some(false, text.data(), text.size(), error);
    if (!error && consumed < text.size()) error = bj::error::extra_data;
    if (error == bj::error::too_deep) {
      return fail(ErrorKind::too_large, fmt::format("JSON nested deeper than {} levels", limits.max_depth));
    }
    if (error) {
      return fail(ErrorKind::invalid, fmt::format("not valid JSON: {} at byte {}", words_for(error), consumed + skipped));
    }
    return parser.handler().stack.release();
  } catch (const std::exception& problem) {  // length_error and bad_alloc of the library
    return fail(ErrorKind::too_large, fmt::format("JSON text too large: {}", problem.what()));
  }
}

}  // namespace holdfast
