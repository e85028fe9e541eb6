#include "kinds/transcripts/home/running.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "base/run/process.h"
#include "base/text/text.h"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kEntryBytes = 64 * 1024;  // real entries have a few hundred bytes
// Where an entry has no procStart: the client registers a moment after it has started, and boot times are whole seconds.
constexpr Millis kStartTolerance = 10'000;

std::optional<pid_t> pid_of_name(std::string_view name) {
  constexpr std::string_view kSuffix = ".json";
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size() || pid <= 0) return std::nullopt;
  return pid;
}

std::optional<Millis> time_field(const JsonObject& entry, std::string_view name) {
  if (const auto number = find_int(entry, name)) return *number;
  if (const auto text = find_string(entry, name))
    if (const auto time = parse_time(*text)) return *time;
  return std::nullopt;
}

// Numbers of processes are used again, so a pid alone says nothing.
bool is_registered_process(const JsonObject& entry, const Process& process) {
  std::string start;
  if (const auto number = find_int(entry, "procStart")) start = std::to_string(*number);
  if (const auto text = find_string(entry, "procStart")) start = trim(*text);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!start.empty() && std::ranges::all_of(start, is_digit)) return start == process.start;
  const auto started = time_field(entry, "startedAt");
  if (!started) return false;
  const Millis began = started_at(process);
  return began > 0 && std::abs(*started - began) <= kStartTolerance;
}

// nullopt for whatever is not the entry of a living client: other files, torn writes, dead processes.
std::optional<LiveClient> client_of_entry(const Home& home, const std::string& name) {
  const auto pid = pid_of_name(name);
  if (!pid) return std::nullopt;
  const auto process = process_of(*pid);
  if (!process) return std::nullopt;
  const std::string path = "sessions/" + name;
  const auto fd = home.open_file(path);
  if (!fd) return std::nullopt;
  const auto text = read_all(fd->get(), kEntryBytes);
  if (!text) return std::nullopt;
  const auto parsed = parse_json(*text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const JsonObject& entry = parsed->get_object();
  const auto session = find_string(entry, "sessionId");
  if (!session || !is_uuid(*session) || find_int(entry, "pid").value_or(*pid) != *pid) return std::nullopt;
  if (!is_registered_process(entry, *process)) return std::nullopt;
  LiveClient client;
  client.pid = *pid;
  client.session_id = to_ascii_lower(*session);
  client.cwd = find_string(entry, "cwd").value_or("");
  client.start = process->start;
  struct stat status{};
  if (const auto updated = time_field(entry, "updatedAt")) {
    client.updated_at = *updated;
  } else if (::fstat(fd->get(), &status) == 0) {
    // Builds without the field rewrite the file when something changes.
    client.updated_at = mtime_of(status);
  }
  return client;
}

}  // namespace

Result<std::vector<LiveClient>> live_clients(const Home& home) {
  HF_TRY(const auto entries, home.entries("sessions"));
  std::vector<LiveClient> clients;
  for (const Home::Entry& entry : entries) {
    if (entry.type != DT_REG) continue;
    if (auto client = client_of_entry(home, entry.name)) clients.push_back(*std::move(client));
  }
  return clients;
}

Result<Activity> Activity::read(const Home& claude, Millis now) {
  HF_TRY(auto clients, live_clients(claude));
  return Activity(std::move(clients), now);
}

RunningState Activity::of(std::string_view session_id, Millis written) const {
  RunningState state;
  for (const LiveClient& client : clients_)
    if (equal_ignoring_ascii_case(client.session_id, session_id)) state.clients.push_back(client);
  state.written = written;
  state.recently_written = written != 0 && std::abs(now_ - written) < kRecentlyWritten;
  return state;
}

Result<RunningState> running_state(const Home& home, std::string_view session_id, const std::string& path, Millis now) {
  HF_TRY(const Activity activity, Activity::read(home, now));
  HF_TRY(const auto status, home.stat(path));
  return activity.of(session_id, status ? mtime_of(*status) : 0);
}

Result<std::optional<LiveClient>> client_above(const Home& home) {
  HF_TRY(const auto clients, live_clients(home));
  if (clients.empty()) return std::nullopt;
  for (const Process& process : processes_above())
    for (const LiveClient& client : clients)
      if (client.pid == process.pid && client.start == process.start) return client;
  return std::nullopt;
}

}  // namespace holdfast::transcripts
