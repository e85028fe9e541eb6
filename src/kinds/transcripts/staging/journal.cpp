#include "kinds/transcripts/staging/journal.h"

#include "base/crypto/hash.h"
#include "base/json/json.h"
#include "base/run/process.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace holdfast::transcripts {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::array<std::string_view, 5> kPhases{"staging", "placing", "taking", "taken", "undoing"};

std::string line_of(const JsonObject& object) {
  return holdfast::to_json(object) + '\n';
}

void put(JsonObject& object, const StagedAt& at) {
  object["part"] = at.part;
  object["number"] = at.number;
}

void put(JsonObject& object, const FileMark& mark) {
  object["inode"] = mark.inode;
  object["size"] = mark.size;
  object["mtime"] = mark.mtime_ns;
}

// JSON is UTF-8; the name of a file may be any bytes.
Json path_value(const std::string& path) {
  if (is_valid_utf8(path)) return Json(path);
  return Json(JsonObject{{"base64", to_base64(path)}});
}

std::optional<std::string> path_in(const JsonObject& object, std::string_view key) {
  if (const auto text = find_string(object, key)) return std::string(*text);
  const JsonObject* const encoded = find_object(object, key);
  const auto text = encoded ? find_string(*encoded, "base64") : std::nullopt;
  auto path = text ? from_base64(*text) : Result<std::string>(fail(ErrorKind::corrupt, "no path"));
  return path ? std::optional(*std::move(path)) : std::nullopt;
}

std::uint64_t number_in(const JsonObject& object, std::string_view key) {
  const Json* value = find(object, key);
  if (value && value->is_uint64()) return value->get_uint64();  // inodes above 2^63 exist
  return value && value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

StagedAt staged_at(const JsonObject& object) {
  return {number_in(object, "part"), number_in(object, "number")};
}

FileMark mark_in(const JsonObject& object) {
  return {number_in(object, "inode"), number_in(object, "size"), find_int(object, "mtime").value_or(0)};
}

// False: not a line of this format.
bool take_line(const JsonObject& line, JournalContent& content) {
  if (const auto phase = find_string(line, "phase")) {
    const auto* const found = std::find(kPhases.begin(), kPhases.end(), *phase);
    if (found == kPhases.end()) return false;
    content.phase = static_cast<Phase>(found - kPhases.begin());
  } else if (const auto path = path_in(line, "new")) {
    content.new_files.push_back({*path, staged_at(line), mark_in(line)});
  } else if (const auto folder = path_in(line, "new_folder")) {
    const auto mode = static_cast<mode_t>(number_in(line, "mode"));
    content.new_folders.push_back({*folder, staged_at(line), mode, number_in(line, "inode")});
  } else if (const auto old = path_in(line, "old")) {
    content.old_files.push_back({*old, staged_at(line), mark_in(line)});
  } else if (const auto old_folder = path_in(line, "old_folder")) {
    content.old_folders.emplace_back(*old_folder);
  } else if (const auto part = find_string(line, "part_folder")) {
    content.parts.emplace_back(*part);
  } else if (find_int(line, "journal") == kFormat) {
    content.what = find_string(line, "what").value_or("");
    content.about = find_string(line, "about").value_or("");
    content.owner = find_string(line, "owner").value_or("");
    content.began_at = find_int(line, "began_at").value_or(0);
  } else {
    return false;
  }
  return true;
}

bool parts_exist(const JournalContent& content) {
  const auto known = [&](const auto& entry) { return entry.at.part <= content.parts.size(); };
  return std::all_of(content.new_files.begin(), content.new_files.end(), known) &&
         std::all_of(content.new_folders.begin(), content.new_folders.end(), known) &&
         std::all_of(content.old_files.begin(), content.old_files.end(), known);
}

std::string host() {
  const std::string name = host_name();
  return name.empty() ? "unknown" : name;
}

}  // namespace

std::string journal_opening(std::string_view what, std::string_view about, Millis now) {
  return line_of({{"journal", kFormat}, {"what", what}, {"about", about}, {"began_at", now}, {"owner", process_name()}});
}

std::string journal_part(std::string_view folder) {
  return line_of({{"part_folder", folder}});
}

std::string journal_plan(const JournalContent& content) {
  std::string lines;
  for (const NewFolder& folder : content.new_folders) {
    JsonObject line{{"new_folder", path_value(folder.path)}};
    put(line, folder.at);
    line["mode"] = folder.mode;
    line["inode"] = folder.inode;
    lines += line_of(line);
  }
  const auto add_file = [&lines](std::string_view key, const auto& file) {
    JsonObject line{{key, path_value(file.path)}};
    put(line, file.at);
    put(line, file.mark);
    lines += line_of(line);
  };
  for (const JournaledFile& file : content.new_files) add_file("new", file);
  for (const OldFile& file : content.old_files) add_file("old", file);
  for (const std::string& folder : content.old_folders) lines += line_of({{"old_folder", path_value(folder)}});
  return lines;
}

std::string journal_phase(Phase phase) {
  return line_of({{"phase", kPhases[static_cast<std::size_t>(phase)]}});
}

Result<JournalContent> parse_journal(std::string_view text) {
  JournalContent content;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;  // torn
    const auto line = parse_json(text.substr(0, end));
    const JsonObject* const object = line ? line->if_object() : nullptr;
    if (!object || !take_line(*object, content)) {
      return fail(ErrorKind::corrupt, fmt::format("line {} of the journal is damaged", number));
    }
    text.remove_prefix(end + 1);
  }
  if (!parts_exist(content)) return fail(ErrorKind::corrupt, "the journal names a part that it did not begin");
  return content;
}

std::string process_name() {
  const auto self = process_of(::getpid());
  return fmt::format("{} {} {}", ::getpid(), self ? self->start : "unknown", host());
}

bool may_be_alive(std::string_view process_name) {
  const std::size_t first = process_name.find(' ');
  const std::size_t second = process_name.find(' ', first == process_name.npos ? first : first + 1);
  if (second == process_name.npos) return false;  // torn before it was written: so is everything behind it
  if (process_name.substr(second + 1) != host()) return true;
  pid_t pid = 0;
  std::from_chars(process_name.data(), process_name.data() + first, pid);
  const auto process = process_of(pid);
  return process && process->start == process_name.substr(first + 1, second - first - 1);
}

}  // namespace holdfast::transcripts
