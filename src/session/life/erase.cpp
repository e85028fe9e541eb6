// What this promises: after redact() or purge() the text is in no row, no keyed value and no page of the store's files, and what
// remains still verifies. Both run in the caller's transaction: all of it happens, or nothing.
//
// redact, in this order, because each step needs what the one before found out:
// 1. the entries that were named are blanked (take_out_named); what they said, and which sources they were, is remembered;
// 2. title and opening of the record, when they are the beginning of such a text: cut short, they would not be found as a piece
// of it;
// 3. what rests on a source that is gone: findings drawn from it, and lines of reports that cite its number (take_out_derived);
// 4. now everything else that repeats those texts, or fits the pattern: all entries, the record, and the keyed values of the
// store,
//    space by space (value_spaces.h says which may hold texts of a session, and of which kind). What only passes through is
//    erased;
// 5. scrub(): the store overwrites what it frees, so that no page keeps the old bytes.
// Entries keep their place and their number; their salts are destroyed, so that the chain says "redacted" and not "damaged".
// purge forgets notices, then values about the session, then the session; a tombstone stays, which holds no text.

#include "session/life/erase.h"

#include "base/json/json.h"
#include "base/text/text.h"
#include "session/life/notices.h"
#include "session/life/text_remover.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::session {

namespace {

constexpr std::size_t kErasePage = 500;

struct Changes {
  std::map<std::string, std::size_t, std::less<>> counts;
  std::vector<std::string> removed;  // texts that were taken out as a whole: others may quote them
  std::set<std::string> source_ids;  // of sources among them
  std::set<std::int64_t> citations;  // their numbers in reports
};

JsonObject data_of(const Entry& entry) {
  auto value = parse_json(entry.data);
  return value && value->is_object() ? std::move(value->get_object()) : JsonObject{};
}

// Every entry of the session, page by page, without holding more than one page.
Result<void> each_entry(Reader& reader, std::string_view session, const std::function<Result<void>(const Entry&)>& work) {
  EntryQuery query;
  query.session = session;
  query.limit = kErasePage;
  while (true) {
    HF_TRY(const EntryPage page, reader.entries(query));
    for (const Entry& entry : page.entries) HF_CHECK(work(entry));
    if (!page.next) return {};
    query.from = *page.next;
  }
}

// The entry keeps its place, its id and what it belongs to.
Result<void> take_out(Transaction& transaction, const Entry& entry, Changes& changes) {
  Json data = data_of(entry);
  const JsonObject& before = data.get_object();
  changes.removed.push_back(entry.text);
  for (const std::string_view key : {"content", "snippet", "title", "uri"})
    if (auto text = find_string(before, key)) changes.removed.emplace_back(*text);
  if (entry.type == "source") {
    changes.source_ids.insert(text_in(before, "id"));
    if (auto number = find_int(before, "citation_number")) changes.citations.insert(*number);
  }
  blank_out(data);
  ++changes.counts[entry.type];
  return transaction.redact(entry.session, entry.seq, std::string(kRedactedText), entry.data.empty() ? "" : to_json(data));
}

bool rests_on(const JsonObject& data, const std::set<std::string>& source_ids) {
  const Json* ids = data.if_contains("source_ids");
  if (ids == nullptr || !ids->is_array()) return false;
  return std::ranges::any_of(ids->get_array(),
                             [&](const Json& id) { return id.is_string() && source_ids.contains(std::string(id.get_string())); });
}

// Lines of a report that cite a source which is gone say what it said.
bool clean_cited_lines(std::string& text, const std::set<std::int64_t>& citations) {
  std::string out;
  bool changed = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const bool cites = std::ranges::any_of(
        citations, [&](std::int64_t number) { return line.find(fmt::format("[{}]", number)) != std::string_view::npos; });
    out += cites ? kRedactedText : line;
    changed |= cites;
    if (end == std::string_view::npos) break;
    out += '\n';
    rest.remove_prefix(end + 1);
  }
  if (changed) text = std::move(out);
  return changed;
}

// Fails when one of the ids is nobody's.
Result<void> each_named(Reader& reader, std::string_view session, const std::vector<std::string>& ids,
                        const std::function<Result<void>(const Entry&)>& work) {
  std::set<std::string> missing(ids.begin(), ids.end());
  const auto read = each_entry(reader, session, [&](const Entry& entry) -> Result<void> {
    if (entry.data.empty()) return {};
    const std::string id = text_in(data_of(entry), "id");
    if (id.empty() || std::ranges::find(ids, id) == ids.end()) return {};
    missing.erase(id);
    return work(entry);
  });
  if (!read || missing.empty()) return read;
  return fail(ErrorKind::not_found, fmt::format("{} has no {}", session, *missing.begin()), "nothing was redacted", "NOT_FOUND");
}

Result<void> take_out_named(Transaction& transaction, std::string_view session, const std::vector<std::string>& ids,
                            Changes& changes) {
  return each_named(transaction, session, ids, [&](const Entry& entry) -> Result<void> {
    if (entry.redacted && entry.text == kRedactedText) return {};
    return take_out(transaction, entry, changes);
  });
}

bool begins_with(std::string_view text, std::string_view beginning) {
  constexpr std::string_view kEllipsis = "…";
  if (beginning.ends_with(kEllipsis)) beginning.remove_suffix(kEllipsis.size());
  beginning = trim(beginning);
  return !beginning.empty() && trim(text).starts_with(beginning);
}

// The record repeats how the first message begins. Cut off or short as that may be, it is not found as a piece of the text.
Result<void> take_out_beginnings(Transaction& transaction, std::string_view session, Changes& changes) {
  HF_TRY(SessionRecord record, transaction.get(session));
  bool changed = false;
  const auto clean = [&](std::string& field, const char* what) {
    if (std::ranges::none_of(changes.removed, [&](const std::string& text) { return begins_with(text, field); })) return;
    field = kRedactedText;
    ++changes.counts[what];
    changed = true;
  };
  clean(record.title, "title");
  clean(record.opening, "query");
  if (!changed) return {};
  HF_CHECK(transaction.update(std::move(record), Touch::change));
  return {};
}

// What rests on sources that are gone: findings drawn from them, lines of reports that cite them.
Result<void> take_out_derived(Transaction& transaction, std::string_view session, Changes& changes) {
  if (changes.source_ids.empty()) return {};
  return each_entry(transaction, session, [&](const Entry& entry) -> Result<void> {
    if (entry.type == "finding" && rests_on(data_of(entry), changes.source_ids)) return take_out(transaction, entry, changes);
    if (entry.type != "report") return {};
    std::string text = entry.text;
    if (!clean_cited_lines(text, changes.citations)) return {};
    ++changes.counts[entry.type];
    return transaction.redact(session, entry.seq, std::move(text), entry.data);
  });
}

Result<void> clean_entries(Transaction& transaction, std::string_view session, const TextRemover& remover, Changes& changes) {
  return each_entry(transaction, session, [&](const Entry& entry) -> Result<void> {
    std::string text = entry.text, data = entry.data;
    bool changed = remover.clean(text);
    if (!data.empty()) {
      if (auto value = parse_json(data)) {
        if (remover.clean(*value)) {
          data = to_json(*value);
          changed = true;
        }
      } else {
        changed |= remover.clean(data);
      }
    }
    if (!changed) return {};
    ++changes.counts[entry.type];
    return transaction.redact(session, entry.seq, std::move(text), std::move(data));
  });
}

Result<void> clean_record(Transaction& transaction, std::string_view session, const TextRemover& remover, Changes& changes) {
  HF_TRY(SessionRecord record, transaction.get(session));
  bool changed = false;
  const auto count = [&](std::string_view what, bool cleaned) {
    if (!cleaned) return;
    ++changes.counts[std::string(what)];
    changed = true;
  };
  count("title", remover.clean(record.title));
  count("description", remover.clean(record.description));
  const bool opening = remover.clean(record.opening);
  count("query", remover.clean(record.data) || opening);
  for (std::string& tag : record.tags) count("tag", remover.clean(tag));
  transaction.scrub();
  if (!changed) return {};
  HF_CHECK(transaction.update(std::move(record), Touch::change));
  return {};
}

bool has_text(const Json& value, std::string_view text) {
  if (value.is_string()) return view(value.get_string()) == text;
  if (value.is_array()) return std::ranges::any_of(value.get_array(), [&](const Json& each) { return has_text(each, text); });
  return value.is_object() &&
         std::ranges::any_of(value.get_object(), [&](const auto& member) { return has_text(member.value(), text); });
}

// Whether a value of the space is about the session.
bool is_about(const ValueSpace& space, const KeyedValue& value, std::string_view session) {
  switch (space.holds) {
    case Holds::no_text:
      return false;
    case Holds::own:
      return value.key == session || value.key.starts_with(fmt::format("{}/", session));
    case Holds::naming:
      return value.key.ends_with(fmt::format("/{}", session)) || has_text(value.value, session);
    case Holds::answers:
      return to_json(value.value).find(session) != std::string::npos;
    case Holds::passing:
      return true;
  }
  return true;
}

// Calls `work` with every value that may hold texts of the session.
Result<void> each_value(Transaction& transaction, const SessionRecord& record,
                        const std::function<Result<void>(const ValueSpace&, const KeyedValue&)>& work) {
  for (const ValueSpace& space : kValueSpaces) {
    if (space.holds == Holds::no_text || (!space.kind.empty() && space.kind != record.kind)) continue;
    ValueQuery query{std::string(space.name), space.holds == Holds::own ? record.id : "", {}, kErasePage};
    while (true) {
      HF_TRY(const auto page, transaction.values(query));
      for (const KeyedValue& value : page) HF_CHECK(work(space, value));
      if (page.size() < kErasePage) break;
      query.after = page.back().key;
    }
  }
  return {};
}

// One text at a time: written as JSON within JSON, one with a quotation mark or a line break looks different.
Result<void> clean_values(Transaction& transaction, const SessionRecord& record, const TextRemover& remover) {
  return each_value(transaction, record, [&](const ValueSpace& space, const KeyedValue& value) -> Result<void> {
    // Answers repeat texts of sessions that they do not name.
    if (space.holds != Holds::answers && !is_about(space, value, record.id)) return {};
    std::string key = value.key;
    Json cleaned = value.value;
    const bool in_key = remover.clean(key), in_value = remover.clean(cleaned);
    if (space.holds == Holds::passing || in_key || (in_value && space.holds == Holds::answers)) {
      HF_CHECK(transaction.erase(value.space, value.key));
    } else if (in_value) {
      HF_CHECK(transaction.put(value.space, value.key, cleaned, Expect::anything(), value.expires_at));
    }
    return {};
  });
}

Result<void> erase_values(Transaction& transaction, const SessionRecord& record) {
  return each_value(transaction, record, [&](const ValueSpace& space, const KeyedValue& value) -> Result<void> {
    if (is_about(space, value, record.id)) HF_CHECK(transaction.erase(value.space, value.key));
    return {};
  });
}

}  // namespace

Result<void> check_redaction(const Redaction& redaction) {
  if (redaction.entry_ids.empty() && redaction.pattern.empty())
    return fail(ErrorKind::invalid, "nothing to redact is named", "give message_ids, source_ids or a pattern",
                "VALIDATION_ERROR");
  if (redaction.pattern.empty()) return {};
  HF_CHECK(TextRemover::of_pattern(redaction.pattern, redaction.regex));
  return {};
}

Result<void> check_named_entries(Reader& reader, std::string_view session, const Redaction& redaction) {
  if (redaction.entry_ids.empty()) return {};
  return each_named(reader, session, redaction.entry_ids, [](const Entry&) -> Result<void> { return {}; });
}

Result<Redacted> redact(Transaction& transaction, std::string_view session, const Redaction& redaction) {
  HF_CHECK(check_redaction(redaction));
  Changes changes;
  std::vector<TextRemover> removers;
  if (!redaction.entry_ids.empty()) {
    HF_CHECK(take_out_named(transaction, session, redaction.entry_ids, changes));
    HF_CHECK(take_out_beginnings(transaction, session, changes));
    HF_CHECK(take_out_derived(transaction, session, changes));
    removers.push_back(TextRemover::of_pieces(changes.removed));
  }
  if (!redaction.pattern.empty()) {
    HF_TRY(TextRemover remover, TextRemover::of_pattern(redaction.pattern, redaction.regex));
    removers.push_back(std::move(remover));
  }
  for (const TextRemover& remover : removers) {
    HF_CHECK(clean_entries(transaction, session, remover, changes));
    HF_CHECK(clean_record(transaction, session, remover, changes));
    HF_TRY(const SessionRecord record, transaction.get(session));
    HF_CHECK(clean_values(transaction, record, remover));
  }
  HF_TRY(const SessionRecord record, transaction.get(session));
  return Redacted{std::move(changes.counts), record.rev};
}

Result<void> purge(Transaction& transaction, std::string_view session, std::string_view reason) {
  HF_TRY(const SessionRecord record, transaction.get(session));
  HF_CHECK(forget_notices(transaction, session));
  HF_CHECK(erase_values(transaction, record));
  transaction.scrub();
  return transaction.purge(session, reason);
}

}  // namespace holdfast::session
