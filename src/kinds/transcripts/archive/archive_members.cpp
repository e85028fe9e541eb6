#include "kinds/transcripts/archive/archive_members.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace holdfast::transcripts {
namespace {

using jsonl::PullParser;
using jsonl::ValueKind;
using Spelling = MemberContent::Spelling;

constexpr std::size_t kMaxIdBytes = 4096;

struct TextMember {
  std::string_view name;
  Holder holder;
  std::string_view id;  // the field of an entry that names it; empty: the member is an object {key: text}
};
constexpr std::array<TextMember, 8> kTextMembers = {{
    {"agent_metadata", Holder::agent_metadata, "agent_id"},
    {"workflow_journals", Holder::workflow_journals, ""},
    {"workflow_runs", Holder::workflow_runs, ""},
    {"plan_files", Holder::plan_files, "slug"},
    {"tool_results", Holder::tool_results, "tool_use_id"},
    {"todos", Holder::todos, "agent_id"},
    {"session_env", Holder::session_env, "filename"},
    {"task_metadata", Holder::task_metadata, ""},
}};

class Member {
 public:
  Member(std::string_view name, std::string_view session_id, PullParser& in, MemberContent& content)
      : name_(name), session_id_(session_id), in_(in), content_(content) {}

  Result<bool> run() {
    if (name_ == "main_session") return done(entry(slot(Holder::main_session), {}));
    if (name_ == "files") return done(files());
    if (name_ == "agent_files") return done(list([this] { return entry(slot(Holder::agent_files), "agent_id"); }));
    if (name_ == "tool_result_dirs") return done(list([this] { return tool_result_folder(); }));
    if (name_ == "tasks") return done(list([this] { return content_.task(in_); }));
    if (name_ == "session_memory") return done(one_text(slot(Holder::session_memory)));
    if (name_ == "debug_log") return done(one_text(slot(Holder::debug_log)));
    for (const TextMember& member : kTextMembers)
      if (name_ == member.name) return done(texts(member));
    return false;
  }

 private:
  static Result<bool> done(Result<void> result) {
    if (!result) return fail(std::move(result).error());
    return true;
  }

  static Slot slot(Holder holder) { return Slot{holder, {}, {}, {}, false}; }

  std::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorKind::corrupt, fmt::format("{}: {}", name_, what));
  }

  template <class Each>
  Result<void> list(Each each) {
    HF_TRY(const ValueKind kind, in_.kind());
    if (kind == ValueKind::null) return in_.null();
    HF_CHECK(in_.enter_array());
    for (;;) {
      HF_TRY(const bool another, in_.next_element());
      if (!another) return {};
      HF_CHECK(each());
    }
  }

  template <class Each>
  Result<void> object(Each each) {
    HF_CHECK(in_.enter_object());
    for (;;) {
      HF_TRY(auto key, in_.next_key());
      if (!key) return {};
      HF_CHECK(each(*std::move(key)));
    }
  }

  // {id…, record_count, records} or {id…, content}, in any order.
  Result<void> entry(Slot slot, std::string_view id_name) {
    std::optional<std::uint64_t> had;
    std::optional<std::string> promised;
    bool any_content = false, any_id = id_name.empty();
    const auto once = [&](bool& seen, std::string_view what) -> Result<void> {
      if (std::exchange(seen, true)) return wrong(fmt::format("an entry has {} twice", what));
      return {};
    };
    const auto field = [&](const std::string& key) -> Result<void> {
      if (!id_name.empty() && key == id_name) {
        HF_CHECK(once(any_id, id_name));
        HF_TRY(slot.id, in_.text(kMaxIdBytes));
      } else if (key == "records" && holds_records(slot)) {
        HF_CHECK(once(any_content, "records"));
        HF_TRY(had, content_.records(slot, in_));
      } else if (key == "record_count" && holds_records(slot)) {
        HF_TRY(promised, promised_count());
      } else if (key == "content" && !holds_records(slot)) {
        HF_CHECK(once(any_content, "content"));
        HF_CHECK(content_.file(slot, is_tool_result(slot) ? Spelling::base64 : Spelling::text, in_));
      } else if (key == "nested" && slot.holder == Holder::agent_files) {
        HF_TRY(slot.nested, in_.boolean());
      } else if (key == "workflow_subpath" && is_agent(slot)) {
        HF_CHECK(text_or_null(slot.folder));
      } else if (key == "extension" && is_tool_result(slot)) {
        HF_TRY(slot.extension, in_.text(kMaxIdBytes));
      } else {
        if (key != "agent_type") content_.unknown_field(fmt::format("{}.{}", name_, key));
        return in_.skip();
      }
      return {};
    };
    HF_CHECK(object(field));
    if (!any_id || !any_content) return wrong("an entry lacks its name or its content");
    if (promised && std::to_string(had.value_or(0)) != *promised)
      HF_CHECK(content_.wrong_count(fmt::format("{}: {} records, and record_count says {}", name_, had.value_or(0), *promised)));
    return content_.end(slot);
  }

  // As it is spelled: an archive of others may have anything there.
  Result<std::string> promised_count() {
    HF_TRY(const ValueKind kind, in_.kind());
    if (kind == ValueKind::number) return in_.scalar();
    HF_CHECK(in_.skip());
    return std::string("no number");
  }

  static bool holds_records(const Slot& slot) {
    return slot.holder == Holder::main_session || slot.holder == Holder::agent_files;
  }
  static bool is_tool_result(const Slot& slot) {
    return slot.holder == Holder::tool_results || slot.holder == Holder::tool_result_dirs;
  }
  static bool is_agent(const Slot& slot) { return slot.holder == Holder::agent_files || slot.holder == Holder::agent_metadata; }

  Result<void> text_or_null(std::string& into) {
    HF_TRY(const ValueKind kind, in_.kind());
    if (kind == ValueKind::null) return in_.null();
    HF_TRY(into, in_.text(kMaxIdBytes));
    return {};
  }

  // A list of entries since 2.0; before, and for some to this day, {key: text}.
  Result<void> texts(const TextMember& member) {
    HF_TRY(const ValueKind kind, in_.kind());
    if (kind != ValueKind::object) {
      if (member.id.empty() && kind != ValueKind::null) return wrong("an object expected");
      return list([&] { return entry(slot(member.holder), member.id); });
    }
    return object([&](const std::string& key) -> Result<void> {
      Slot keyed = slot(member.holder);
      keyed.id = key;
      if (member.holder == Holder::tool_results) keyed.extension = ".txt";
      if (member.holder == Holder::todos) {
        HF_TRY(keyed.id, agent_of_todo(key));
      }
      HF_CHECK(content_.file(keyed, Spelling::text, in_));
      return content_.end(keyed);
    });
  }

  // Version 1 names todos by their files.
  Result<std::string> agent_of_todo(std::string_view name) const {
    const std::string prefix = std::string(session_id_) + "-agent-";
    constexpr std::string_view kSuffix = ".json";
    if (!name.starts_with(prefix) || !name.ends_with(kSuffix) || name.size() <= prefix.size() + kSuffix.size())
      return wrong("a todo list of another session");
    return std::string(name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size()));
  }

  // Version 1: {file name: [records]}.
  Result<void> files() {
    return object([this](std::string_view name) -> Result<void> {
      Slot made = slot(Holder::main_session);
      if (name != std::string(session_id_) + ".jsonl") {
        constexpr std::string_view kPrefix = "agent-", kSuffix = ".jsonl";
        if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name.size() <= kPrefix.size() + kSuffix.size())
          return wrong(fmt::format("a file that is no transcript of this session: \"{}\"", to_valid_utf8(utf8_prefix(name, 80))));
        made.holder = Holder::agent_files;
        made.id = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
      }
      HF_CHECK(content_.records(made, in_));
      return content_.end(made);
    });
  }

  Result<void> tool_result_folder() {
    std::string name;
    bool any_files = false;
    return object([&](const std::string& key) -> Result<void> {
      if (key == "name") {
        if (!name.empty() || any_files) return wrong("the name of a folder must stand once, before its files");
        HF_TRY(name, in_.text(kMaxIdBytes));
        return {};
      }
      if (key != "files") {
        content_.unknown_field(fmt::format("{}.{}", name_, key));
        return in_.skip();
      }
      if (name.empty() || std::exchange(any_files, true)) return wrong("the name of a folder must stand before its files");
      return list([&] {
        Slot made = slot(Holder::tool_result_dirs);
        made.folder = name;
        return entry(std::move(made), "filename");
      });
    });
  }

  Result<void> one_text(const Slot& slot) {
    HF_TRY(const ValueKind kind, in_.kind());
    if (kind == ValueKind::null) return in_.null();
    HF_CHECK(content_.file(slot, Spelling::text, in_));
    return content_.end(slot);
  }

  std::string_view name_, session_id_;
  PullParser& in_;
  MemberContent& content_;
};

}  // namespace

bool is_file_member(std::string_view name) {
  constexpr std::array<std::string_view, 7> kOthers = {
      "main_session", "files", "agent_files", "tool_result_dirs", "tasks", "session_memory", "debug_log",
  };
  return std::ranges::find(kOthers, name) != kOthers.end() ||
         std::ranges::find(kTextMembers, name, &TextMember::name) != kTextMembers.end();
}

Result<bool> read_member(std::string_view name, std::string_view session_id, PullParser& in, MemberContent& content) {
  return Member(name, session_id, in, content).run();
}

}  // namespace holdfast::transcripts
