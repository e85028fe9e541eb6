#include "kinds/reasoning/read/import_thoughtbox.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/title.h"
#include "kinds/reasoning/thought.h"
#include "session/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace holdfast::reasoning {
namespace {

struct BoxSession {
  std::string id, title, description, project;
  std::vector<std::string> tags;
  Millis created_at = 0;
  std::vector<Thought> thoughts;  // main chain by number, each branch behind its origin; numbers unique in their branch
};

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = 4 * 1024 * 1024;
constexpr int kMaxLevels = 8;  // projects/<name>/sessions/<month>/<id>/branches/<branch>

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end; !error && at != end;
       at.increment(error))
    found.push_back(at->path());
  std::ranges::sort(found);
  return found;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

// "007.json" -> 7
std::optional<std::int64_t> number_of(const fs::path& file) {
  if (file.extension() != ".json") return std::nullopt;
  const std::string stem = file.stem().string();
  std::int64_t number = 0;
  const auto parsed = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != stem.data() + stem.size() || number < 1) return std::nullopt;
  return number;
}

std::optional<JsonObject> read_object(const fs::path& file, std::vector<std::string>& problems) {
  auto text = read_file(file.string(), kMaxFile);
  if (!text) {
    problems.push_back(fmt::format("{}: {}", file.string(), text.error().message));
    return std::nullopt;
  }
  auto parsed = parse_json(*text);
  if (!parsed || !parsed->is_object()) {
    problems.push_back(fmt::format("{}: {}", file.string(), parsed ? "is not an object" : parsed.error().message));
    return std::nullopt;
  }
  return parsed->as_object();
}

Millis time_in(const JsonObject& object, std::string_view key) {
  const auto text = find_string(object, key);
  if (!text) return 0;
  const auto time = parse_time(*text);
  return time ? *time : 0;
}

std::optional<Thought> read_node(const fs::path& file, const std::string& branch, std::vector<std::string>& problems) {
  const auto node = read_object(file, problems);
  if (!node) return std::nullopt;
  const JsonObject* data = find_object(*node, "data");
  if (!data) data = &*node;
  Thought thought;
  thought.text = find_string(*data, "thought").value_or("");
  if (thought.text.empty()) {
    problems.push_back(fmt::format("{}: holds no thought", file.string()));
    return std::nullopt;
  }
  thought.number = find_int(*data, "thoughtNumber").value_or(number_of(file).value_or(0));
  if (thought.number < 1) thought.number = number_of(file).value_or(1);
  thought.branch = branch;
  thought.total = std::max(find_int(*data, "totalThoughts").value_or(thought.number), thought.number);
  thought.next_needed = find_bool(*data, "nextThoughtNeeded").value_or(true);
  thought.revises = find_int(*data, "revisesThought");
  thought.needs_more = find_bool(*data, "needsMoreThoughts");
  thought.agent_id = find_string(*data, "agentId").value_or("");
  thought.agent_name = find_string(*data, "agentName").value_or("");
  thought.time = time_in(*data, "timestamp");
  if (!branch.empty()) thought.branch_from = find_int(*data, "branchFromThought");
  const ThoughtType* type = find_type(find_string(*data, "thoughtType").value_or(kDefaultType));
  thought.type = type ? type->name : kDefaultType;
  if (type)
    if (auto payload = read_payload(*type, *data)) thought.payload = std::move(*payload);
  return thought;
}

std::vector<Thought> read_chain(const fs::path& folder, const std::string& branch, std::vector<std::string>& problems) {
  std::map<std::int64_t, Thought> chain;
  for (const fs::path& file : children(folder)) {
    if (!is_file(file) || !number_of(file)) continue;
    if (auto thought = read_node(file, branch, problems)) {
      const std::int64_t number = thought->number;
      if (!chain.emplace(number, std::move(*thought)).second)
        problems.push_back(fmt::format("{}: number {} is there twice", file.string(), number));
    }
  }
  std::vector<Thought> thoughts;
  for (auto& [number, thought] : chain) thoughts.push_back(std::move(thought));
  return thoughts;
}

bool holds_session(const fs::path& folder) {
  if (is_file(folder / "manifest.json")) return true;
  return is_uuid(folder.filename().string()) &&
         std::ranges::any_of(children(folder), [](const fs::path& file) { return number_of(file).has_value(); });
}

void walk(const fs::path& folder, int level, std::vector<fs::path>& found) {
  if (holds_session(folder)) {
    found.push_back(folder);
    return;
  }
  if (level == 0) return;
  for (const fs::path& child : children(folder))
    if (is_folder(child)) walk(child, level - 1, found);
}

// projects/<name>/sessions/...: the name; older data has none.
std::string project_of(const fs::path& folder) {
  for (auto at = folder.begin(); at != folder.end(); ++at)
    if (*at == "projects" && std::next(at) != folder.end()) return std::next(at)->string();
  return {};
}

// Folders that hold a session, wherever they lie below `folder`, sorted.
std::vector<fs::path> find_box_sessions(const fs::path& folder) {
  std::vector<fs::path> found;
  walk(folder, kMaxLevels, found);
  return found;
}

// Never fails: what cannot be read is a problem.
BoxSession read_box_session(const fs::path& folder, std::vector<std::string>& problems) {
  BoxSession session;
  session.id = folder.filename().string();
  session.project = project_of(folder);
  if (is_file(folder / "manifest.json"))
    if (const auto manifest = read_object(folder / "manifest.json", problems)) {
      const JsonObject* metadata = find_object(*manifest, "metadata");
      const JsonObject& from = metadata ? *metadata : *manifest;
      session.title = find_string(from, "title").value_or("");
      session.description = find_string(from, "description").value_or("");
      session.created_at = time_in(from, "createdAt");
      session.tags = strings_in(from, "tags");
    }
  session.thoughts = read_chain(folder, "", problems);
  std::set<std::int64_t> main;
  for (const Thought& thought : session.thoughts) main.insert(thought.number);

  for (const fs::path& branch : children(folder / "branches")) {
    if (!is_folder(branch)) continue;
    std::vector<Thought> chain = read_chain(branch, branch.filename().string(), problems);
    if (chain.empty()) continue;
    // A branch begins where its first thought says, if that exists; an orphan begins at the last one.
    Thought& first = chain.front();
    if (!first.branch_from || !main.contains(*first.branch_from)) {
      if (main.empty()) {
        problems.push_back(fmt::format("{}: a branch of a session without a main chain", branch.string()));
        continue;
      }
      if (first.branch_from)
        problems.push_back(fmt::format("{}: begins at thought {}, which is not there", branch.string(), *first.branch_from));
      first.branch_from = *main.rbegin();
    }
    for (std::size_t i = 1; i < chain.size(); ++i) chain[i].branch_from.reset();
    std::ranges::move(chain, std::back_inserter(session.thoughts));
  }
  return session;
}

namespace fs = std::filesystem;
using session::SessionRecord;
using session::Transaction;

constexpr std::string_view kImported = "reasoning.imported";  // session id of the original -> ours
constexpr std::size_t kMaxAliasFile = 1024 * 1024;

// What points at nothing would be refused in a new thought; an old one keeps its words and loses the pointer.
void drop_dangling(BoxSession& box, std::vector<std::string>& problems) {
  std::set<std::pair<std::string, std::int64_t>> there;
  for (Thought& thought : box.thoughts) {
    if (thought.revises) {
      const bool in_branch = there.contains({thought.branch, *thought.revises});
      const bool on_main = there.contains({"", *thought.revises});
      if (!in_branch && !on_main) {
        problems.push_back(fmt::format("session {}: thought {} revises {}, which does not come before it", box.id, thought.number,
                                       *thought.revises));
        thought.revises.reset();
      } else {
        thought.revises_main = !thought.branch.empty() && !in_branch;
      }
    }
    there.insert({thought.branch, thought.number});
  }
}

Result<bool> import_one(session::Store& store, const BoxSession& box, const std::string& root, const Situation& situation) {
  return store.write([&](Transaction& transaction) -> Result<bool> {
    const std::string key = situation.principal + "/" + box.id;
    HF_TRY(auto before, transaction.value(kImported, key));
    if (before) return false;
    NewSession wanted;
    wanted.title = box.title.empty() && !box.thoughts.empty() ? title_of(box.thoughts.front().text) : box.title;
    wanted.description = box.description;
    wanted.project = box.project;
    wanted.tags = box.tags;
    wanted.root = root;
    if (!box.thoughts.empty()) wanted.opening = box.thoughts.front().text;
    HF_TRY(SessionRecord record, create_session(transaction, wanted, situation));
    for (const Thought& thought : box.thoughts) {
      session::NewEntry entry = to_entry(thought, {});
      entry.touch = session::Touch::change;
      HF_CHECK(transaction.append(record.id, std::move(entry)));
    }
    // The original never stored a status: a session whose last thought wanted no other was over.
    Thought last;
    for (const Thought& thought : box.thoughts)
      if (thought.branch.empty()) last = thought;
    if (!last.next_needed) HF_CHECK(complete(transaction, record, {}, "completed"));
    HF_CHECK(transaction.put(kImported, key, JsonObject{{"session", record.id}}));
    session::LineageEvent event;
    event.child = record.id;
    event.parent = box.id;
    event.how = "import";
    event.details = {{"from", "thoughtbox"}};
    HF_CHECK(transaction.add_lineage(std::move(event)));
    return true;
  });
}

// aliases.json of a project: {"word": "session id"}, also nested under "aliases".
void import_aliases(session::Store& store, const fs::path& file, const Situation& situation, std::vector<std::string>& problems) {
  auto text = read_file(file.string(), kMaxAliasFile);
  if (!text) return;
  auto parsed = parse_json(*text);
  if (!parsed || !parsed->is_object()) {
    problems.push_back(fmt::format("{}: cannot be read", file.string()));
    return;
  }
  const JsonObject* aliases = find_object(parsed->as_object(), "aliases");
  if (!aliases) aliases = &parsed->as_object();
  for (const auto& [word, target] : *aliases) {
    if (!target.is_string()) continue;
    const auto value = store.value(kImported, situation.principal + "/" + std::string(view(target.as_string())));
    if (!value || !*value || !(*value)->value.is_object()) continue;
    const std::string ours(find_string((*value)->value.as_object(), "session").value_or(""));
    const auto set = store.write(
        [&](Transaction& transaction) { return set_alias(transaction, situation.principal, std::string(word), ours); });
    if (!set) problems.push_back(fmt::format("{}: {}", file.string(), set.error().message));
  }
}

}  // namespace

Result<ImportReport> import_thoughtbox(session::Store& store, const std::string& folder, const std::string& root,
                                       const Situation& situation) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail(ErrorKind::not_found, fmt::format("there is no folder {}", folder),
                "the original keeps its data in ~/.thoughtbox");
  ImportReport report;
  std::set<fs::path> projects;
  for (const fs::path& path : find_box_sessions(folder)) {
    BoxSession box = read_box_session(path, report.problems);
    if (box.thoughts.empty()) {
      report.problems.push_back(fmt::format("{}: holds no thoughts", path.string()));
      continue;
    }
    drop_dangling(box, report.problems);
    auto is_new = import_one(store, box, root, situation);
    if (!is_new) {
      if (is_new.error().kind == ErrorKind::io || is_new.error().kind == ErrorKind::unavailable)
        return fail(std::move(is_new).error());
      report.problems.push_back(fmt::format("{}: {}", path.string(), is_new.error().message));
      continue;
    }
    *is_new ? ++report.sessions : ++report.known;
    if (*is_new) report.thoughts += static_cast<std::int64_t>(box.thoughts.size());
    for (fs::path at = path; at.has_parent_path() && at != at.parent_path(); at = at.parent_path())
      if (at.parent_path().filename() == "projects") projects.insert(at);
  }
  for (const fs::path& project : projects) import_aliases(store, project / "aliases.json", situation, report.problems);
  return report;
}

}  // namespace holdfast::reasoning
