// Lines of Codex (transcript-archive §12), and of any JSON.

#include "kinds/transcripts/passages/line_passages.h"

namespace holdfast::transcripts {
namespace {

using jsonl::Path;
using search::PassageRole;

// Every string of a JSON text but types and encoded bytes.
class GatherStrings final : public jsonl::LineVisitor {
 public:
  explicit GatherStrings(std::vector<std::string_view>& found) : found_(found) {}
  void on_key(const Path&, std::string_view) override {}
  void on_scalar(const Path&, std::string_view) override {}
  void on_string(const Path& path, std::string_view raw) override {
    if (!path.empty() && path.last().in_object && (path.last().key == "type" || path.last().key == "data")) return;
    found_.push_back(raw);
  }

 private:
  std::vector<std::string_view>& found_;
};

// {timestamp, type, payload}; what is readable stands in event_msg, what tools did in response_item.
struct CodexRecordTexts {
  std::string_view time, type, kind, name, cwd;
  std::string_view message, text, input, output;
  std::vector<std::string_view> others;  // strings below the payload's own members: summaries, commands, items

  void clear() {
    time = type = kind = name = cwd = message = text = input = output = {};
    others.clear();
  }
};

class GatherCodex final : public jsonl::LineVisitor {
 public:
  explicit GatherCodex(CodexRecordTexts& record) : record_(record) {}

  void on_key(const Path&, std::string_view) override {}
  void on_scalar(const Path&, std::string_view) override {}
  void on_string(const Path& path, std::string_view raw) override {
    if (path.empty()) return;
    const std::string_view key = path.last().in_object ? path.last().key : std::string_view();
    if (path.depth() == 1) {
      if (key == "timestamp") record_.time = raw;
      if (key == "type") record_.type = raw;
      return;
    }
    if (path[0].key != "payload") return;
    if (path.depth() > 2) {
      if (key != "type" && key != "id" && key != "call_id" && key != "image_url") record_.others.push_back(raw);
      return;
    }
    if (key == "type") record_.kind = raw;
    if (key == "name") record_.name = raw;
    if (key == "cwd") record_.cwd = raw;
    if (key == "message") record_.message = raw;
    if (key == "text") record_.text = raw;
    if (key == "arguments" || key == "input") record_.input = raw;
    if (key == "output") record_.output = raw;
  }

 private:
  CodexRecordTexts& record_;
};

class CodexPassages final : public LinePassages {
 public:
  void begin_file(const FileOpening& opening) override { opening_ = opening; }

  bool line(std::string_view text, const LinePlace& place, const Take& take) override {
    record_.clear();
    GatherCodex gather(record_);
    if (!scanner_.visit(text, gather).parsed()) return true;
    const Millis time = parse_time(record_.time).value_or(0);
    parts_.begin(PassageRole::system);
    if (record_.type == "event_msg") {
      event();
    } else if (record_.type == "response_item") {
      item();
    } else if (record_.type == "compacted") {
      parts_.add_text(record_.message);
    }
    if (!opening_.branch.empty()) parts_.add_plain_attribute("branch:" + opening_.branch);
    if (!opening_.model.empty()) parts_.add_plain_attribute("model:" + opening_.model);
    return parts_.hand_over(place, time, take);
  }

 private:
  void event() {
    const std::string_view kind = record_.kind;
    if (kind == "user_message") one(PassageRole::user, record_.message);
    if (kind == "agent_message") one(PassageRole::assistant, record_.message);
    if (kind == "agent_reasoning") one(PassageRole::thinking, record_.text);
    if (kind == "error") one(PassageRole::system, record_.message), parts_.add_plain_attribute("error");
    if (kind == "item_completed") {
      parts_.begin(PassageRole::assistant);
      for (const std::string_view raw : record_.others) parts_.add_text(raw);
    }
  }

  // Messages of response items repeat the events, with the client's own context mixed in.
  void item() {
    const std::string_view kind = record_.kind;
    if (kind.ends_with("_call_output")) {
      parts_.begin(PassageRole::tool_result);
      add_nested(record_.output);
      for (const std::string_view raw : record_.others) parts_.add_text(raw);
    } else if (kind.ends_with("_call")) {
      parts_.begin(PassageRole::tool_call);
      parts_.add_attribute("tool:", record_.name);
      parts_.add_text(record_.name);
      add_nested(record_.input);
      for (const std::string_view raw : record_.others) parts_.add_text(raw);
      add_patched_files();
    }
  }

  // Arguments and results may be JSON in a string: then what its own strings mean is what was said.
  void add_nested(std::string_view raw) {
    nested_.clear();
    jsonl::append_text(nested_, raw);
    strings_.clear();
    GatherStrings gather(strings_);
    const bool may_be_json = nested_.starts_with('{') || nested_.starts_with('[');
    if (!may_be_json || !inner_scanner_.visit(nested_, gather).parsed()) return parts_.add_text(raw);
    for (const std::string_view each : strings_) parts_.add_text(each);
  }

  // "*** Update File: src/a.cpp": how Codex names the files of a patch, also inside of the arguments of a shell.
  void add_patched_files() {
    constexpr std::string_view kMark = " File: ";
    const std::string& text = parts_.text();
    std::vector<std::string> files;
    for (std::size_t at = text.find("*** "); at != std::string::npos; at = text.find("*** ", at + 1)) {
      const std::size_t mark = text.find(kMark, at);
      if (mark == std::string::npos || mark > at + kLongestVerb) continue;
      const std::size_t begin = mark + kMark.size();
      const std::size_t end = text.find('\n', begin);
      const std::string path = text.substr(begin, end == std::string::npos ? end : end - begin);
      files.push_back(file_attribute(path, record_.cwd.empty() ? opening_.folder : jsonl::text_of(record_.cwd)));
      // Without the folder the client worked in the end of the path is all there is.
      if (files.back().empty() && !path.empty()) files.back() = "file:" + path;
    }
    for (std::string& file : files)
      if (!file.empty()) parts_.add_plain_attribute(std::move(file));
  }

  void one(PassageRole role, std::string_view raw) {
    parts_.begin(role);
    parts_.add_text(raw);
  }

  static constexpr std::size_t kLongestVerb = 16;  // "*** Update", "*** Delete", "*** Add"

  FileOpening opening_;
  jsonl::Scanner scanner_, inner_scanner_;
  CodexRecordTexts record_;
  PassageParts parts_;
  std::string nested_;
  std::vector<std::string_view> strings_;
};

class JsonPassages final : public LinePassages {
 public:
  bool line(std::string_view text, const LinePlace& place, const Take& take) override {
    strings_.clear();
    GatherStrings gather(strings_);
    if (!scanner_.visit(text, gather).parsed()) return true;
    parts_.begin(PassageRole::tool_result);
    for (const std::string_view raw : strings_) parts_.add_text(raw);
    return parts_.hand_over(place, 0, take);
  }

 private:
  jsonl::Scanner scanner_;
  std::vector<std::string_view> strings_;
  PassageParts parts_;
};

// {"type":"session_meta","payload":{"cwd":…,"git":{"branch":…}}}, {"type":"turn_context","payload":{"model":…}}.
class GatherOpening final : public jsonl::LineVisitor {
 public:
  void on_key(const Path&, std::string_view) override {}
  void on_scalar(const Path&, std::string_view) override {}
  void on_string(const Path& path, std::string_view raw) override {
    if (path.empty() || !path.last().in_object) return;
    const std::string_view key = path.last().key;
    if (path.depth() == 1 && key == "type") type = raw;
    if (path[0].key != "payload") return;
    if (path.depth() == 2 && key == "cwd") folder = raw;
    if (path.depth() == 2 && key == "model") model = raw;
    if (path.depth() == 3 && path[1].key == "git" && key == "branch") branch = raw;
  }

  std::string_view type, folder, branch, model;
};

}  // namespace

std::unique_ptr<LinePassages> codex_passages() {
  return std::make_unique<CodexPassages>();
}
std::unique_ptr<LinePassages> json_passages() {
  return std::make_unique<JsonPassages>();
}

FileOpening codex_opening(const std::function<std::optional<std::string_view>()>& next_line, bool& complete) {
  FileOpening opening;
  jsonl::Scanner scanner;
  complete = false;
  for (bool has_meta = false, has_turn = false; !complete; complete = has_meta && has_turn) {
    const auto line = next_line();
    if (!line) break;
    GatherOpening gather;
    if (!scanner.visit(*line, gather).parsed()) continue;
    if (gather.type == "session_meta" && !has_meta) {
      has_meta = true;
      opening.folder = jsonl::text_of(gather.folder);
      opening.branch = jsonl::text_of(gather.branch);
    } else if (gather.type == "turn_context" && !has_turn) {
      has_turn = true;
      opening.model = jsonl::text_of(gather.model);
    }
  }
  return opening;
}

}  // namespace holdfast::transcripts
