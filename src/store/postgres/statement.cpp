#include "store/postgres/statement.h"

#include "session/length_prefix.h"

namespace holdfast::store::postgres {

namespace {

void put_int4(std::string& out, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::string int8_bytes(std::int64_t value) {
  std::string bytes;
  session::put_integer(bytes, value);
  return bytes;
}

// One dimension, no NULLs, counted from 1.
std::string array_head(std::size_t size, std::size_t element_oid) {
  std::string out;
  put_int4(out, size == 0 ? 0 : 1);
  put_int4(out, 0);
  put_int4(out, element_oid);
  if (size == 0) return out;
  put_int4(out, size);
  put_int4(out, 1);
  return out;
}

constexpr std::size_t kTextOid = 25;
constexpr std::size_t kInt8Oid = 20;

}  // namespace

Param::Param(std::int64_t value) : type(Type::int8), bytes(int8_bytes(value)) {}

Param::Param(const std::optional<std::int64_t>& value) : type(Type::int8) {
  if (value) bytes = int8_bytes(*value);
}

Param::Param(const SqlValue& value) {
  const bool number = value.type == SqlValue::Type::integer;
  if (number) type = Type::int8;
  if (!value.null) bytes = number ? int8_bytes(value.number) : std::string(value.bytes);
}

Param Param::texts(const std::vector<std::string>& items) {
  std::string out = array_head(items.size(), kTextOid);
  for (const std::string& item : items) {
    put_int4(out, item.size());
    out += item;
  }
  return {Type::text_array, std::move(out)};
}

Param Param::numbers(const std::vector<std::int64_t>& items) {
  std::string out = array_head(items.size(), kInt8Oid);
  for (const std::int64_t item : items) {
    put_int4(out, sizeof(item));
    session::put_integer(out, item);
  }
  return {Type::int8_array, std::move(out)};
}

Param Param::null_bytes() {
  return {Type::bytea, std::nullopt};
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string numbered_marks(std::string_view sql) {
  std::string out;
  int number = 0;
  for (const char c : sql) {
    if (c == '?') {
      out += '$' + std::to_string(++number);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace holdfast::store::postgres
