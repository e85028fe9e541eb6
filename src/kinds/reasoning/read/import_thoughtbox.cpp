#include "kinds/reasoning/read/import_thoughtbox.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "kinds/reasoning/anchors.h"
#include "kinds/reasoning/begin.h"
#include "kinds/reasoning/read/thoughtbox_files.h"
#include "kinds/reasoning/read/title.h"
#include "session/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::reasoning {

namespace {

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
