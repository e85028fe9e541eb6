#pragma once

// What can be searched in one line of a transcript.
//
// A line is looked at alone: what it yields depends on no lines before it but the first of the file (FileOpening), so that any
// part of a file can be read again and gives the same passages. What the model saw is taken once: the client repeats most of it
// (toolUseResult, progress, last prompts), and that is left out. Records of a type we do not know give all their strings, as role
// `system`. Images and other encoded bytes give nothing.
//
// One thread; keep one for many lines.

#include "jsonl/scan.h"
#include "jsonl/spelling.h"
#include "search/index/passages.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// The place of a line in its file.
struct LinePlace {
  std::uint64_t begin = 0, end = 0, number = 0;
};

// What the first lines of a file say of all of them, as text; empty where they do not.
struct FileOpening {
  std::string folder, branch, model;
};

class LinePassages {
 public:
  using Take = std::function<bool(const search::Passage&)>;
  virtual ~LinePassages() = default;
  // The lines from now on are of a file that begins so.
  virtual void begin_file(const FileOpening& opening) { static_cast<void>(opening); }
  // False: `take` wants no more. A line that is not understood gives nothing.
  virtual bool line(std::string_view text, const LinePlace& place, const Take& take) = 0;
};

std::unique_ptr<LinePassages> claude_passages();  // Claude Code: main transcripts, subagents
std::unique_ptr<LinePassages> codex_passages();   // rollouts of Codex
std::unique_ptr<LinePassages> json_passages();    // any JSON: all of its strings together, as the result of a tool

// What a rollout of Codex says at its beginning: the folder and branch of its session_meta, the model of its first turn_context
// (a later change of the model is not seen). `complete`: there is nothing more to learn from lines to come.
FileOpening codex_opening(const std::function<std::optional<std::string_view>()>& next_line, bool& complete);

// One passage while it is put together from the strings of a line.
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
