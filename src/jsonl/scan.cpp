#include "jsonl/scan.h"

#include "base/text/text.h"
#include "jsonl/limits.h"
#include "jsonl/walk.h"

#include <simdjson.h>

#include <algorithm>

namespace holdfast::jsonl {
namespace {

struct Silent {
  void on_key(const Path&, std::string_view) {}
  void on_string(const Path&, std::string_view) {}
  void on_scalar(const Path&, std::string_view) {}
  void on_open(const Path&, const char*) {}
  void on_close(const Path&, const char*) {}
};

std::string_view with_quotes(std::string_view raw) {
  return {raw.data() - 1, raw.size() + 2};
}

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

TokenKind kind_of_scalar(char first) {
  return first == 'n' ? TokenKind::null : first == 't' || first == 'f' ? TokenKind::boolean : TokenKind::number;
}

class FieldFinder : public Silent {
 public:
  FieldFinder(std::span<const std::string_view> names, std::span<Token> found) : names_(names), found_(found) {}

  void on_key(const Path& path, std::string_view raw) {
    if (path.depth() != 1 || done_) return;
    wanted_ = names_.size();
    const bool plain = !raw.contains('\\');  // as good as always, and then a comparison is enough
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (plain ? raw == names_[i] : spells(raw, names_[i])) wanted_ = i;
  }
  void on_string(const Path& path, std::string_view raw) {
    if (is_wanted(path)) found_[wanted_] = {TokenKind::string, with_quotes(raw)};
  }
  void on_scalar(const Path& path, std::string_view token) {
    if (is_wanted(path)) found_[wanted_] = {kind_of_scalar(token[0]), token};
  }
  void on_open(const Path& path, const char* at) {
    if (path.empty()) wanted_ = names_.size();  // an array at the top has no names
    if (is_wanted(path)) opened_ = at;
  }
  void on_close(const Path& path, const char* end) {
    if (is_wanted(path)) found_[wanted_] = {*opened_ == '{' ? TokenKind::object : TokenKind::array, between(opened_, end)};
    if (path.empty() && end[-1] == '}') done_ = true;  // what is fused behind it is another record
  }

 private:
  bool is_wanted(const Path& path) const { return path.depth() == 1 && !done_ && wanted_ < names_.size(); }

  std::span<const std::string_view> names_;
  std::span<Token> found_;
  std::size_t wanted_ = 0;
  const char* opened_ = nullptr;
  bool done_ = false;
};

class MemberFinder : public Silent {
 public:
  explicit MemberFinder(std::vector<Member>& found) : found_(found) {}

  void on_key(const Path& path, std::string_view raw) {
    if (is_member(path)) found_.push_back({raw, {}});
  }
  void on_string(const Path& path, std::string_view raw) {
    if (is_member(path)) found_.back().value = {TokenKind::string, with_quotes(raw)};
  }
  void on_scalar(const Path& path, std::string_view token) {
    if (is_member(path)) found_.back().value = {kind_of_scalar(token[0]), token};
  }
  void on_open(const Path& path, const char* at) {
    if (path.empty()) in_object_ = *at == '{';
    if (is_member(path)) opened_ = at;
  }
  void on_close(const Path& path, const char* end) {
    if (is_member(path)) found_.back().value = {*opened_ == '{' ? TokenKind::object : TokenKind::array, between(opened_, end)};
    if (path.empty() && in_object_) done_ = true;  // what is fused behind it is another record
  }

 private:
  bool is_member(const Path& path) const { return path.depth() == 1 && in_object_ && !done_; }

  std::vector<Member>& found_;
  const char* opened_ = nullptr;
  bool in_object_ = false;
  bool done_ = false;
};

class ValueFinder : public Silent {
 public:
  explicit ValueFinder(std::vector<std::string_view>& found) : found_(found) {}

  void on_string(const Path& path, std::string_view raw) {
    if (path.empty()) found_.push_back(with_quotes(raw));
  }
  void on_scalar(const Path& path, std::string_view token) {
    if (path.empty()) found_.push_back(token);
  }
  void on_open(const Path& path, const char* at) {
    if (path.empty()) opened_ = at;
  }
  void on_close(const Path& path, const char* end) {
    if (path.empty()) found_.push_back(between(opened_, end));
  }

 private:
  std::vector<std::string_view>& found_;
  const char* opened_ = nullptr;
};

class Forwarding : public Silent {
 public:
  explicit Forwarding(LineVisitor& visitor) : visitor_(visitor) {}

  void on_key(const Path& path, std::string_view raw) { visitor_.on_key(path, raw); }
  void on_string(const Path& path, std::string_view raw) { visitor_.on_string(path, raw); }
  void on_scalar(const Path& path, std::string_view token) { visitor_.on_scalar(path, token); }

 private:
  LineVisitor& visitor_;
};

}  // namespace

struct Structure::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
  std::size_t capacity = 0;
};

Structure::Structure() : parser_(std::make_unique<Parser>()) {}
Structure::~Structure() = default;
Structure::Structure(Structure&&) noexcept = default;
Structure& Structure::operator=(Structure&&) noexcept = default;

bool Structure::reserve(std::size_t size) {
  const bool wasteful = parser_->capacity > kKeptIndexBytes && size <= kKeptIndexBytes;
  if (size <= parser_->capacity && !wasteful) return true;
  const std::size_t capacity =
      size <= kKeptIndexBytes ? std::max<std::size_t>(kKeptIndexBytes / 64, std::min(size * 2, kKeptIndexBytes)) : size;
  parser_->implementation.reset();
  parser_->capacity = 0;
  // Its depth limit belongs to the second pass, which we do not use.
  const auto error =
      simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, parser_->implementation);
  if (error) return false;
  parser_->capacity = capacity;
  return true;
}

Structure::State Structure::read(std::string_view text) {
  valid_utf8_ = true;
  if (text.empty()) return State::blank;
  if (text.size() > kMaxLineBytes || !reserve(text.size())) return State::too_long;
  auto& parser = *parser_->implementation;
  parser.n_structural_indexes = 0;
  const auto error =
      parser.stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return State::blank;
  // The check of UTF-8 comes last and leaves the index whole: brackets and quotes are ASCII whatever else is there.
  if (error == simdjson::UTF8_ERROR && parser.n_structural_indexes > 0)
    valid_utf8_ = false;
  else if (error)
    return State::broken;
  parser.structural_indexes[parser.n_structural_indexes] = static_cast<std::uint32_t>(text.size());
  return State::ready;
}

std::span<const std::uint32_t> Structure::positions() const {
  const auto& parser = *parser_->implementation;
  return {parser.structural_indexes.get(), parser.n_structural_indexes + 1};
}

std::string_view name_of(LineShape shape) {
  switch (shape) {
    case LineShape::object:
      return "object";
    case LineShape::padded:
      return "padded";
    case LineShape::not_object:
      return "not_object";
    case LineShape::fused:
      return "fused";
    case LineShape::blank:
      return "blank";
    case LineShape::nul:
      return "nul";
    case LineShape::broken:
      return "broken";
    case LineShape::too_deep:
      return "too_deep";
    case LineShape::too_long:
      return "too_long";
  }
  return "broken";
}

bool Token::is(std::string_view text) const {
  return kind == TokenKind::string && spells(raw.substr(1, raw.size() - 2), text);
}

std::string Token::text() const {
  if (kind != TokenKind::string) return {};
  return to_valid_utf8(unescape_json_string(raw.substr(1, raw.size() - 2)).value_or(""));
}

LineReport Scanner::shape(std::string_view line) {
  Silent visitor;
  return scan_line(line, structure_, path_, visitor);
}

LineReport Scanner::fields(std::string_view line, std::span<const std::string_view> names, std::span<Token> found) {
  for (Token& token : found) token = {};
  FieldFinder visitor(names, found);
  const LineReport report = scan_line(line, structure_, path_, visitor);
  if (!report.parsed())
    for (Token& token : found) token = {};
  return report;
}

LineReport Scanner::members(std::string_view line, std::vector<Member>& found) {
  found.clear();
  MemberFinder visitor(found);
  const LineReport report = scan_line(line, structure_, path_, visitor);
  if (!report.parsed()) found.clear();
  return report;
}

LineReport Scanner::values(std::string_view line, std::vector<std::string_view>& found) {
  found.clear();
  ValueFinder visitor(found);
  const LineReport report = scan_line(line, structure_, path_, visitor);
  if (!report.parsed()) found.clear();
  return report;
}

LineReport Scanner::visit(std::string_view line, LineVisitor& visitor) {
  Forwarding forwarding(visitor);
  return scan_line(line, structure_, path_, forwarding);
}

}  // namespace holdfast::jsonl
