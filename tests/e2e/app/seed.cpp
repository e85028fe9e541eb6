// holdfast-seed STORE: reads sessions from stdin and creates them.
// [{"id","kind","title","status"?,"root"?,"root_name"?,"principal"?,"entries":["text", ...]}, ...]

#include "base/files/file.h"
#include "base/json/json.h"
#include "store/open.h"

#include <unistd.h>

#include <cstdio>

namespace {

using namespace holdfast;

constexpr std::size_t kMaxInput = 16 * 1024 * 1024;

std::string text_of(const JsonObject& object, std::string_view key) {
  return std::string(find_string(object, key).value_or(""));
}

Result<void> create(session::Store& store, const JsonObject& wanted) {
  return store.write([&](session::Transaction& transaction) -> Result<void> {
    session::SessionRecord record;
    record.id = text_of(wanted, "id");
    record.kind = text_of(wanted, "kind");
    record.title = text_of(wanted, "title");
    record.status = text_of(wanted, "status");
    record.root_uri = text_of(wanted, "root");
    record.root_name = text_of(wanted, "root_name");
    if (wanted.contains("principal")) record.principal = text_of(wanted, "principal");
    HF_CHECK(transaction.create(record));
    if (const JsonArray* entries = find_array(wanted, "entries"))
      for (const Json& text : *entries) {
        session::NewEntry entry;
        entry.type = "note";
        entry.text = std::string(view(text.as_string()));
        HF_CHECK(transaction.append(record.id, entry));
      }
    return {};
  });
}

Result<void> seed(const char* url) {
  HF_TRY(std::string input, read_all(STDIN_FILENO, kMaxInput));
  HF_TRY(Json sessions, parse_json(input));
  HF_TRY(auto store, store::open_store(url));
  for (const Json& each : sessions.as_array()) HF_CHECK(create(*store, each.as_object()));
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  auto done = seed(words[1]);
  if (done) return 0;
  std::fprintf(stderr, "holdfast-seed: %s\n", done.error().message.c_str());
  return 1;
}
