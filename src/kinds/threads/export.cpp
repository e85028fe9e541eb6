#include "base/text/text.h"
#include "kinds/threads/message.h"
#include "kinds/threads/record.h"
#include "session/limits.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::threads {
namespace {

std::string one_line(std::string_view text) {
  std::string line = to_valid_utf8(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

void append_message(std::string& out, const Message& message, const std::optional<std::string>& damage) {
  out += fmt::format("## {}. {}", message.seq, message.role);
  if (!message.provider.empty()) out += fmt::format(" · {}", one_line(message.provider));
  if (!message.model.empty() && message.model != message.provider) out += fmt::format(" ({})", one_line(message.model));
  out += fmt::format("\n\n*{}*\n\n{}", iso8601(message.created_at), to_valid_utf8(message.content));
  if (!out.ends_with('\n')) out += '\n';
  if (damage) out += fmt::format("\n> damaged: {}\n", *damage);
  out += '\n';
}

}  // namespace

Result<std::string> export_markdown(session::Reader& reader, const session::SessionRecord& record) {
  std::string out = fmt::format("# {}\n\n- thread: `{}` ({})\n- status: {}\n- messages: {}\n- created: {}\n- last activity: {}\n",
                                one_line(session::shown_title(record)), record.id, record.aspect, session::shown_status(record),
                                message_count(record), iso8601(record.created_at), iso8601(record.last_activity_at));
  if (const std::string prompt = setting_of(record, "system_prompt"); !prompt.empty())
    out += fmt::format("- system prompt: {}\n", one_line(prompt));
  out += '\n';
  session::EntryQuery query;
  query.session = record.id;
  query.types = {std::string(kMessageEntry)};
  query.limit = session::kMaxEntryLimit;
  for (std::optional<std::int64_t> next = 1; next;) {
    query.from = *next;
    HF_TRY(const session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries) append_message(out, to_message(entry), entry.damage);
    next = page.next;
  }
  return out;
}

}  // namespace holdfast::threads
