#include "jsonl/path.h"

#include "jsonl/spelling.h"

namespace holdfast::jsonl {
namespace {

std::string unescape_segment(std::string_view segment) {
  std::string name;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const bool escaped = segment[i] == '~' && i + 1 < segment.size() && (segment[i + 1] == '0' || segment[i + 1] == '1');
    name += !escaped ? segment[i] : segment[++i] == '0' ? '~' : '/';
  }
  return name;
}

}  // namespace

bool Path::Step::is(std::string_view name) const {
  return in_object && spells(key, name);
}

std::string Path::pointer() const {
  std::string out;
  for (const Step& step : steps_) {
    out += '/';
    if (!step.in_object) {
      out += std::to_string(step.index);
      continue;
    }
    for (const char c : text_of(step.key)) {
      if (c == '~')
        out += "~0";
      else if (c == '/')
        out += "~1";
      else
        out += c;
    }
  }
  return out;
}

PathPattern::PathPattern(std::string_view pattern) {
  if (pattern.starts_with('/'))
    pattern.remove_prefix(1);
  else if (pattern.empty())
    return;
  for (;;) {
    const std::size_t slash = std::min(pattern.find('/'), pattern.size());
    const std::string_view segment = pattern.substr(0, slash);
    const bool is_last = slash == pattern.size();
    if (is_last && segment == "**") {
      open_ended_ = true;
      return;
    }
    segments_.push_back({unescape_segment(segment), segment == "*"});
    if (is_last) return;
    pattern.remove_prefix(slash + 1);
  }
}

bool PathPattern::fits(const Segment& segment, const Path::Step& step) {
  if (segment.any) return true;
  return step.in_object ? spells(step.key, segment.name) : std::to_string(step.index) == segment.name;
}

bool PathPattern::matches(const Path& path) const {
  if (open_ended_ ? path.depth() < segments_.size() : path.depth() != segments_.size()) return false;
  for (std::size_t i = 0; i < segments_.size(); ++i)
    if (!fits(segments_[i], path[i])) return false;
  return true;
}

}  // namespace holdfast::jsonl
