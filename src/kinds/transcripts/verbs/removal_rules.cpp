#include "kinds/transcripts/verbs/removal_rules.h"

#include "base/ids.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kVersionDigit = 14;  // of a UUID: xxxxxxxx-xxxx-Vxxx-...

std::string who_uses(const RunningState& state) {
  if (state.clients.empty()) return "it was written to within the last seconds";
  std::string pids;
  for (const LiveClient& client : state.clients) pids += fmt::format("{}{}", pids.empty() ? "process " : ", ", client.pid);
  return pids + " has it open";
}

}  // namespace

bool is_native_id(std::string_view session_id) {
  return !is_uuid(session_id) || session_id[kVersionDigit] != '7';
}

Result<RemovalCheck> check_removal(const Home& home, const std::string& session_id, const std::string& path,
                                   const RemovalRules& rules, Millis now) {
  const auto is_this = [&](const std::string& id) { return equal_ignoring_ascii_case(id, session_id); };
  if (std::ranges::any_of(rules.caller_sessions, is_this)) {
    return fail(ErrorKind::refused, fmt::format("cannot {} the session that is asking", rules.verb),
                "do it from another session or from a terminal");
  }
  RemovalCheck check;
  // A front end may make UUIDv7 ids, too: only one that the lineage knows is ours.
  const bool ours = !is_native_id(session_id) && rules.made_by_us;
  if (!ours && !rules.force) {
    if (!rules.dry_run) {
      return fail(ErrorKind::refused, fmt::format("{} was not made by holdfast; {} needs {{force}}", session_id, rules.verb),
                  "a backup is made first; {dry_run} shows what would happen");
    }
    check.warnings.push_back("not made by holdfast: this needs {force}");
  }
  HF_TRY(RunningState state, running_state(home, session_id, path, now));
  // What was put in place a moment ago, and not written to since, is in nobody's use.
  if (state.written == rules.written_by_us) state.recently_written = false;
  check.was_running = state.running();
  if (!state.running()) return check;
  if (rules.dry_run) {
    check.warnings.push_back("the session is in use: " + who_uses(state));
    return check;
  }
  if (!rules.terminate || !rules.clients_are_known) {
    return fail(ErrorKind::refused, fmt::format("the session is in use: {}", who_uses(state)),
                rules.clients_are_known ? "end it first, or let it be ended ({terminate})"
                                        : "end its client, wait ten seconds and try again");
  }
  for (const LiveClient& client : state.clients) {
    HF_CHECK(terminate(client));
    check.was_terminated = true;
  }
  return check;
}

}  // namespace holdfast::transcripts
