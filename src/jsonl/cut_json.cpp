#include "jsonl/cut_json.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::jsonl {
namespace {

constexpr std::size_t kValueBytes = 32;  // what a value costs beside its text

class CutReader {
 public:
  CutReader(PullParser& in, const CutLimits& limits) : in_(in), limits_(limits) {}

  Result<Json> value(std::string_view key, std::size_t depth) {
    HF_TRY(const ValueKind kind, in_.kind());
    kept_ += kValueBytes;
    switch (kind) {
      case ValueKind::object:
      case ValueKind::array:
        if (depth >= limits_.depth || is_full()) return skipped();
        return kind == ValueKind::object ? object(depth) : array(key, depth);
      case ValueKind::string:
        return string(key);
      case ValueKind::boolean: {
        HF_TRY(const bool is, in_.boolean());
        return Json(is);
      }
      case ValueKind::null:
        HF_CHECK(in_.null());
        return Json(nullptr);
      case ValueKind::number:
        break;
    }
    HF_TRY(const std::string number, in_.scalar());
    auto parsed = parse_json(number);
    return parsed ? *std::move(parsed) : Json(number);
  }

  std::uint64_t left_out() const { return left_out_; }

 private:
  bool is_full() const { return kept_ >= limits_.total_bytes; }

  Result<Json> skipped() {
    HF_CHECK(in_.skip());
    ++left_out_;
    return Json(nullptr);
  }

  Result<Json> object(std::size_t depth) {
    JsonObject out;
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(const auto key, in_.next_key());
      if (!key) return Json(std::move(out));
      if (is_full()) {
        HF_CHECK(skipped());
        continue;
      }
      HF_TRY(Json member, value(*key, depth + 1));
      kept_ += key->size();
      out[to_valid_utf8(*key)] = std::move(member);
    }
  }

  Result<Json> array(std::string_view key, std::size_t depth) {
    JsonArray out;
    HF_CHECK(in_.enter_array());
    for (;;) {
      HF_TRY(const bool more, in_.next_element());
      if (!more) return Json(std::move(out));
      if (is_full()) {
        HF_CHECK(skipped());
        continue;
      }
      HF_TRY(Json element, value(key, depth + 1));
      out.push_back(std::move(element));
    }
  }

  Result<Json> string(std::string_view key) {
    const bool wide = !limits_.wide_name.empty() && key == limits_.wide_name;
    const std::size_t room =
        wide ? limits_.wide_bytes : std::min(limits_.string_bytes, limits_.total_bytes - std::min(kept_, limits_.total_bytes));
    constexpr std::size_t kCharacter = 4;  // one more than fits, so that it can be cut between characters
    std::string text;
    std::uint64_t whole = 0;
    HF_CHECK(in_.text([&](std::string_view piece) -> Result<void> {
      whole += piece.size();
      if (text.size() < room + kCharacter) text += piece.substr(0, room + kCharacter - text.size());
      return {};
    }));
    text.resize(utf8_prefix(text, room).size());
    if (!wide) {
      left_out_ += whole - text.size();
      kept_ += text.size();
    }
    return Json(to_valid_utf8(text));
  }

  PullParser& in_;
  const CutLimits& limits_;
  std::size_t kept_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace

Result<CutJson> read_cut_json(PullParser& in, const CutLimits& limits) {
  CutReader reader(in, limits);
  HF_TRY(Json value, reader.value({}, 0));
  return CutJson{std::move(value), reader.left_out()};
}

}  // namespace holdfast::jsonl
