#pragma once

// From a line to its report, with any visitor on the way: what Scanner and Splicer have in common. Internal.

#include "base/text/text.h"
#include "jsonl/scan.h"
#include "jsonl/spelling.h"
#include "jsonl/walk.h"

namespace holdfast::jsonl {

// Counts the values at the top of a line and remembers where the first stands; passes everything on.
template <class Visitor>
class TopValues {
 public:
  explicit TopValues(Visitor& visitor) : visitor_(visitor) {}

  void on_key(const Path& path, std::string_view raw) { visitor_.on_key(path, raw); }
  void on_string(const Path& path, std::string_view raw) {
    if (path.empty()) begin(raw.data() - 1, false), end(raw.data() + raw.size() + 1);
    visitor_.on_string(path, raw);
  }
  void on_scalar(const Path& path, std::string_view token) {
    if (path.empty()) begin(token.data(), false), end(token.data() + token.size());
    visitor_.on_scalar(path, token);
  }
  void on_open(const Path& path, const char* at) {
    if (path.empty()) begin(at, *at == '{');
    visitor_.on_open(path, at);
  }
  void on_close(const Path& path, const char* at) {
    visitor_.on_close(path, at);
    if (path.empty()) end(at);
  }

  LineShape shape(std::string_view line) const {
    if (count_ > 1) return LineShape::fused;
    if (!object_) return LineShape::not_object;
    return begin_ == line.data() && end_ == line.data() + line.size() ? LineShape::object : LineShape::padded;
  }

 private:
  void begin(const char* at, bool object) {
    if (count_++ == 0) begin_ = at, object_ = object;
  }
  void end(const char* at) { end_ = at; }

  Visitor& visitor_;
  std::size_t count_ = 0;
  bool object_ = false;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

template <class Visitor>
LineReport scan_line(std::string_view line, Structure& structure, Path& path, Visitor& visitor) {
  const auto not_json = [&] { return LineReport{line.contains('\0') ? LineShape::nul : LineShape::broken, true}; };
  const std::string_view text = line.starts_with(kByteOrderMark) ? line.substr(kByteOrderMark.size()) : line;
  switch (structure.read(text)) {
    case Structure::State::blank:
      return {LineShape::blank, true};
    case Structure::State::broken:
      return not_json();
    case Structure::State::too_long:
      return {LineShape::too_long, true};
    case Structure::State::ready:
      break;
  }
  // First, so that a visitor may decode every string it is shown.
  if (!escapes_are_valid(text)) return not_json();
  TopValues<Visitor> top(visitor);
  switch (Walk(text, structure.positions(), path, top).run()) {
    case WalkEnd::broken:
      return not_json();
    case WalkEnd::too_deep:
      return {LineShape::too_deep, true};
    case WalkEnd::complete:
      break;
  }
  return {top.shape(line), structure.valid_utf8()};
}

}  // namespace holdfast::jsonl
