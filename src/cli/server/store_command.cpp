// holdfast store info|verify.

#include "cli/program/context.h"
#include "cli/server/store_text.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<void> show_store(Context& context) {
  HF_TRY(auto store, context.open_store(true));
  HF_TRY(session::StoreInfo info, store->info());
  if (context.json) {
    JsonObject fields{{"url", info.url},
                      {"path", info.path},
                      {"schema_version", info.schema_version},
                      {"read_only", info.read_only},
                      {"sessions", info.sessions},
                      {"entries", info.entries},
                      {"bytes", info.bytes},
                      {"index_bytes", info.index_bytes}};
    print_json(fields);
    return {};
  }
  const Terminal& terminal = context.terminal;
  auto line = [&](std::string_view name, const std::string& value) {
    print(fmt::format("{} {}\n", terminal.soft(fmt::format("{:<9}", name)), value));
  };
  line("store", info.path.empty() ? info.url : info.path);
  line("schema", std::to_string(info.schema_version));
  line("sessions", std::to_string(info.sessions));
  line("entries", std::to_string(info.entries));
  line("size", fmt::format("{} bytes, index {} bytes", info.bytes, info.index_bytes));
  return {};
}

Result<void> verify_store(Context& context) {
  HF_TRY(auto store, context.open_store(true));
  HF_TRY(session::Integrity integrity, store->integrity());
  if (context.json) {
    print_json(JsonObject{{"ok", integrity.ok},
                          {"sessions", integrity.sessions},
                          {"entries", integrity.entries},
                          {"damaged", damaged_sessions(integrity.damaged)},
                          {"problems", to_json_array(integrity.problems)}});
  } else {
    for (const std::string& problem : integrity.problems) print(fmt::format("store: {}\n", harmless(problem, true)));
    print_damaged(integrity.damaged);
    print(fmt::format("{} sessions, {} entries: {}\n", integrity.sessions, integrity.entries,
                      integrity.ok ? "all is well" : "damage found"));
  }
  if (integrity.ok) return {};
  return fail(ErrorKind::corrupt, "the store is damaged", "what is damaged is shown and isolated; the rest can be used");
}

}  // namespace holdfast::cli
