#include "cli/server/store_text.h"

#include "cli/program/terminal.h"

#include <fmt/format.h>

namespace holdfast::cli {

std::string store_address(const std::string& word) {
  return word.contains(':') ? word : "sqlite:" + word;
}

void print_damaged(const std::vector<session::Verification>& damaged) {
  for (const session::Verification& each : damaged)
    for (const std::string& problem : each.problems) print(fmt::format("{}: {}\n", each.session, harmless(problem, true)));
}

JsonArray damaged_sessions(const std::vector<session::Verification>& damaged) {
  JsonArray sessions;
  for (const session::Verification& each : damaged)
    sessions.push_back(JsonObject{{"session", each.session}, {"problems", to_json_array(each.problems)}});
  return sessions;
}

}  // namespace holdfast::cli
