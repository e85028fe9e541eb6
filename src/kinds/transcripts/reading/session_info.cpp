#include "kinds/transcripts/reading/session_info.h"

#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

namespace {

Json time_or_null(Millis time) {
  return time == 0 ? Json(nullptr) : Json(iso8601(time));
}

}  // namespace

JsonObject to_json(const SessionLine& line, std::string_view state, const std::string& file) {
  const AnySession& session = line.session;
  return {{"session_id", session.id()},
          {"product", session.product()},
          {"title", text_or_null(line.title)},
          {"custom_title", text_or_null(line.custom_title)},
          {"project_path", text_or_null(line.project_path)},
          {"state", state},
          {"session_file", file},
          {"size_bytes", session.size()},
          {"updated_at", iso8601(session.mtime())},
          {"first_record_at", time_or_null(line.first_time)},
          {"last_record_at", time_or_null(line.last_time)},
          {"client_version", text_or_null(line.version)},
          {"git_branch", text_or_null(line.git_branch)}};
}

std::string resume_command(const SessionLine& line) {
  if (line.session.codex()) return "codex resume " + line.session.id();
  return resume_command(line.project_path, line.session.id());
}

std::string restore_command(const AnySession& session) {
  return "holdfast restore --in-place " + session.id();
}

Result<SessionInfo> describe_session(const Keeper& keeper, SessionSource& source, const Progress& progress) {
  const AnySession& session = source.session();
  SessionInfo info;
  info.kept = !source.on_disk();
  // Titles may stand anywhere.
  HF_TRY(info.line, source.line(SessionSource::Extent::whole));
  HF_TRY(info.inventory, source.inventory(progress));
  info.file = source.name();
  if (!info.kept) {
    HF_TRY(const Activity activity, Activity::read(keeper.homes().claude, keeper.now()));
    info.state = activity.of(session.id(), session.mtime());
  }
  info.native = is_native_id(session.id());
  HF_TRY(info.usage, measure_usage(source, info.inventory, progress));
  if (auto lineage = keeper.lineage_seen_from(source))
    info.lineage = std::move(*lineage);
  else
    info.warnings.push_back("its family is not known: " + lineage.error().message);
  return info;
}

JsonObject to_json(const SessionInfo& info) {
  const AnySession& session = info.line.session;
  JsonObject out = to_json(info.line, info.state_word(), info.file);
  std::map<std::string_view, std::uint64_t> counts;
  for (const Artifact& artifact : info.inventory.artifacts) ++counts[name_of(artifact.kind)];
  JsonObject files;
  for (const auto& [kind, count] : counts) files[kind] = count;
  JsonArray left_out, slugs, pids, children, warnings;
  for (const std::string& each : info.inventory.left_out) left_out.emplace_back(each);
  for (const std::string& each : info.inventory.slugs) slugs.emplace_back(each);
  for (const LiveClient& each : info.state.clients) pids.emplace_back(each.pid);
  for (const std::string& each : info.warnings) warnings.emplace_back(each);
  Json parent(nullptr), method(nullptr);
  if (info.lineage) {
    if (auto node = info.lineage->nodes.find(session.id()); node != info.lineage->nodes.end()) {
      parent = text_or_null(node->second.parent_id);
      method = text_or_null(node->second.method);
      for (const std::string& child : node->second.children) children.emplace_back(child);
    }
  }
  if (session.claude()) out["project_folder"] = session.claude()->place.project_folder;
  out["is_native"] = info.native;
  out["is_running"] = info.state.running();
  out["running_pids"] = std::move(pids);
  out["files"] = std::move(files);
  out["file_count"] = info.inventory.artifacts.size();
  out["total_bytes"] = info.inventory.bytes();
  out["slugs"] = std::move(slugs);
  out["left_out"] = std::move(left_out);
  out["has_lineage"] = info.lineage.has_value();
  out["parent_session_id"] = std::move(parent);
  out["method"] = std::move(method);
  out["child_session_ids"] = std::move(children);
  out["usage"] = to_json(info.usage);
  if (info.cost) out["cost"] = to_json(*info.cost);
  // Nothing to resume before it is put back.
  out["resume_command"] = info.kept ? Json(nullptr) : Json(resume_command(info.line));
  if (info.kept) out["restore_command"] = restore_command(session);
  out["warnings"] = std::move(warnings);
  return out;
}

}  // namespace holdfast::transcripts
