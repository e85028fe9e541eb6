#include "base/json/json.h"

#include "base/text/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace holdfast {
namespace {

// Writing. Every answer of the program passes here, so: runs of plain bytes are copied whole and
// nothing is allocated but the output. Looking at eight bytes at once was tried: 1.5 times as fast on
// long text, slower on small answers, which are most. So: a table.

// What follows the backslash: 0 for bytes that stand for themselves, 'u' for \u00XX.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> table{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = 'u';
  table['\b'] = 'b';
  table['\t'] = 't';
  table['\n'] = 'n';
  table['\f'] = 'f';
  table['\r'] = 'r';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}();

constexpr std::size_t kNumberBytes = 32;      // the longest double takes 24, the longest integer 20
constexpr double kExactIntegers = 1LL << 53;  // below, every integral double prints all its digits
constexpr std::string_view kBlanksPerLevel = "  ";

template <class Integer>
void append_integer(std::string& out, Integer number) {
  char text[kNumberBytes];
  const auto [end, status] = std::to_chars(text, text + sizeof text, number);
  out.append(text, end);
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char text[kNumberBytes];
  // to_chars alone would print 100000.0 as 1e+05: as true, but harder on the reader.
  const bool plain = std::abs(number) < kExactIntegers && number == std::trunc(number);
  const auto [end, status] = plain ? std::to_chars(text, text + sizeof text, number, std::chars_format::fixed)
                                   : std::to_chars(text, text + sizeof text, number);
  const std::string_view digits(text, end);
  out += digits;
  if (digits.find_first_of(".e") == digits.npos) out += ".0";
}

// Pretty is a template parameter so that the compact form pays nothing for it.
template <bool kPretty>
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void value(const Json& json) {
    switch (json.kind()) {
      case boost::json::kind::null:
        out_ += "null";
        return;
      case boost::json::kind::bool_:
        out_ += json.get_bool() ? "true" : "false";
        return;
      case boost::json::kind::int64:
        append_integer(out_, json.get_int64());
        return;
      case boost::json::kind::uint64:
        append_integer(out_, json.get_uint64());
        return;
      case boost::json::kind::double_:
        append_double(out_, json.get_double());
        return;
      case boost::json::kind::string:
        string(view(json.get_string()));
        return;
      case boost::json::kind::array:
        array(json.get_array());
        return;
      case boost::json::kind::object:
        object(json.get_object());
        return;
    }
  }

  void object(const JsonObject& members) {
    out_ += '{';
    open();
    bool first = true;
    for (const auto& member : members) {
      separate(first);
      string({member.key().data(), member.key().size()});
      out_ += kPretty ? ": " : ":";
      value(member.value());
    }
    close(first);
    out_ += '}';
  }

 private:
  // The name of a file may be any bytes, and one such byte would make the whole text unreadable.
  void string(std::string_view text) {
    if (is_valid_utf8(text)) [[likely]] {
      append_json_string(out_, text);
    } else {
      append_json_string(out_, to_valid_utf8(text));
    }
  }

  void array(const JsonArray& items) {
    out_ += '[';
    open();
    bool first = true;
    for (const Json& item : items) {
      separate(first);
      value(item);
    }
    close(first);
    out_ += ']';
  }

  void open() {
    if constexpr (kPretty) ++level_;
  }
  void separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
    if constexpr (kPretty) new_line();
  }
  void close(bool empty) {
    if constexpr (kPretty) {
      --level_;
      if (!empty) new_line();
    }
  }
  void new_line() {
    out_ += '\n';
    for (std::size_t i = 0; i < level_; ++i) out_ += kBlanksPerLevel;
  }

  std::string& out_;
  std::size_t level_ = 0;
};

}  // namespace

const Json* find(const JsonObject& object, std::string_view key) {
  return object.if_contains({key.data(), key.size()});
}

const Json* find(const Json& object, std::string_view key) {
  const JsonObject* members = object.if_object();
  return members ? find(*members, key) : nullptr;
}

const JsonObject* find_object(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  return member ? member->if_object() : nullptr;
}

const JsonArray* find_array(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  return member ? member->if_array() : nullptr;
}

std::optional<std::string_view> find_string(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (!member || !member->is_string()) return std::nullopt;
  return view(member->get_string());
}

std::optional<std::int64_t> find_int(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (!member) return std::nullopt;
  if (const auto* number = member->if_int64()) return *number;
  if (const auto* number = member->if_uint64()) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    if (*number <= kLargest) return static_cast<std::int64_t>(*number);
  }
  if (const auto* number = member->if_double()) {
    if (std::abs(*number) <= kExactIntegers && std::trunc(*number) == *number) return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

std::optional<bool> find_bool(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (!member || !member->is_bool()) return std::nullopt;
  return member->get_bool();
}

std::string text_in(const JsonObject& object, std::string_view key) {
  return std::string(find_string(object, key).value_or(""));
}

JsonArray to_json_array(const std::vector<std::string>& texts) {
  JsonArray out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

std::vector<std::string> strings_in(const JsonObject& object, std::string_view key) {
  std::vector<std::string> texts;
  if (const JsonArray* array = find_array(object, key))
    for (const Json& each : *array)
      if (each.is_string()) texts.emplace_back(view(each.get_string()));
  return texts;
}

void put_text(JsonObject& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object[key] = text;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[byte];
    if (escape == 0) [[likely]] {
      continue;
    }
    out.append(text, copied, i - copied);
    copied = i + 1;
    out += '\\';
    out += escape;
    if (escape == 'u') {
      out += "00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out.append(text, copied);
  out += '"';
}

void append_json(std::string& out, const Json& value) {
  Writer<false>(out).value(value);
}

void append_json(std::string& out, const JsonObject& value) {
  Writer<false>(out).object(value);
}

std::string to_json(const Json& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string to_json(const JsonObject& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string to_json_pretty(const Json& value) {
  std::string out;
  Writer<true>(out).value(value);
  return out;
}

}  // namespace holdfast
