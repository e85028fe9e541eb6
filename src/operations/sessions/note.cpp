// note: a remark on any session, wherever it lies. It goes with the session when that is purged; of a transcript it stays, like
// its family.

#include "base/ids.h"
#include "base/text/text.h"
#include "operations/context.h"
#include "operations/sessions/notes.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/life/value_spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::operations {

namespace {

constexpr std::size_t kLongestNote = 4000;  // characters; what is longer is a document
constexpr std::size_t kMostNotes = 100;     // of one session: all of them are shown wherever it is

std::string prefix_of(std::string_view session) {
  return fmt::format("{}/note/", session);
}

constexpr std::array kNoteParameters{
    kRecord,
    Parameter{.name = "text", .help = "the remark; without it the notes are listed", .may_be_empty = false, .option = "TEXT"},
    Parameter{.name = "remove", .help = "take this note away again, by its id", .value = "NOTE", .against = "text"},
};

Result<Facts> note(Context& context, const Given& given) {
  HF_TRY(const auto found, catalogue::find(context.asker(), given.text("session")));
  const std::string prefix = prefix_of(found.id());
  if (given.has("remove")) {
    const std::string key = prefix + given.text("remove");
    HF_TRY(session::Store* const store, context.store(false));
    HF_CHECK(store->write([&](session::Transaction& transaction) -> Result<void> {
      HF_TRY(const bool there, transaction.erase(session::kSessionValues, key));
      if (!there)
        return fail(ErrorKind::not_found, fmt::format("{} has no note {}", found.id(), given.text("remove")),
                    "without {text} and {remove} its notes are listed");
      transaction.scrub();  // what a person takes away is not left in the file
      return {};
    }));
  } else if (given.has("text")) {
    const std::string text(trim(given.text("text")));
    if (text.empty() || utf8_length(text) > kLongestNote)
      return fail(ErrorKind::invalid, fmt::format("{{text}} has 1 to {} characters", kLongestNote));
    HF_TRY(session::Store* const store, context.store(false));
    HF_CHECK(store->write([&](session::Transaction& transaction) -> Result<void> {
      HF_TRY(const auto there, transaction.values({std::string(session::kSessionValues), prefix, {}, kMostNotes}));
      const std::string& by = context.identity().person;
      // Typed again, because nobody answered the first time or by a second window: it is there.
      if (std::ranges::any_of(there, [&](const session::KeyedValue& each) {
            const JsonObject* made = each.value.if_object();
            return made && text_in(*made, "text") == text && text_in(*made, "by") == by;
          }))
        return {};
      if (there.size() == kMostNotes)
        return fail(ErrorKind::too_large, fmt::format("{} has {} notes", found.id(), kMostNotes), "take some away with {remove}");
      const JsonObject remark{{"text", text}, {"by", by}, {"at", iso8601(transaction.now())}};
      auto kept = transaction.put(session::kSessionValues, prefix + make_uuid7(), remark);
      if (!kept) return fail(std::move(kept).error());
      return {};
    }));
  }
  auto store = context.store(true);
  if (!store && store.error().kind != ErrorKind::not_found) return fail(std::move(store).error());
  JsonArray notes;  // none were ever made when there is no store
  if (store) {
    HF_TRY(notes, notes_of(**store, found.id()));
  }
  return Facts{{"sessionId", found.id()}, {"count", notes.size()}, {"notes", std::move(notes)}};
}

constexpr std::array kNoteOperation{
    changes("note", "a remark on any session, shown wherever the session is", kNoteParameters, note)};

}  // namespace

Result<JsonArray> notes_of(session::Reader& reader, std::string_view session) {
  const std::string prefix = prefix_of(session);
  HF_TRY(const auto values, reader.values({std::string(session::kSessionValues), prefix, {}, kMostNotes}));
  JsonArray notes;
  for (const session::KeyedValue& value : values) {
    JsonObject note{{"id", value.key.substr(prefix.size())}};
    if (value.value.is_object())
      for (const auto& member : value.value.get_object()) note[member.key()] = member.value();
    notes.push_back(std::move(note));
  }
  return notes;
}

std::span<const Operation> note_operations() {
  return kNoteOperation;
}

}  // namespace holdfast::operations
