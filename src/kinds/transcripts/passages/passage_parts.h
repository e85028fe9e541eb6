#pragma once

// One passage while it is put together from the strings of a line. Inside of line_passages.h.

#include "jsonl/spelling.h"
#include "kinds/transcripts/passages/line_passages.h"

namespace holdfast::transcripts {

class PassageParts {
 public:
  void begin(search::PassageRole role) {
    role_ = role;
    text_.clear();
    attributes_.clear();
  }
  // One below the other.
  void add_text(std::string_view raw) {
    if (raw.empty()) return;
    if (!text_.empty()) text_ += '\n';
    jsonl::append_text(text_, raw);
  }
  void add_attribute(std::string_view name, std::string_view raw) {
    if (raw.empty()) return;
    std::string attribute(name);
    jsonl::append_text(attribute, raw);
    attributes_.push_back(std::move(attribute));
  }
  void add_plain_attribute(std::string attribute) { attributes_.push_back(std::move(attribute)); }
  const std::string& text() const { return text_; }

  // Whether to go on.
  bool hand_over(const LinePlace& place, Millis time, const LinePassages::Take& take) {
    if (text_.empty()) return true;
    views_.assign(attributes_.begin(), attributes_.end());
    return take({place.begin, place.end, place.number, role_, time, text_, views_});
  }

 private:
  search::PassageRole role_ = search::PassageRole::user;
  std::string text_;
  std::vector<std::string> attributes_;
  std::vector<std::string_view> views_;
};

// "file:" and an absolute path without "." and "..", by the folder the client worked in. Empty: the path tells nothing.
std::string file_attribute(std::string_view path, std::string_view folder);

}  // namespace holdfast::transcripts
