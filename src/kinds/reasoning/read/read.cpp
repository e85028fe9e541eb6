#include "kinds/reasoning/read/read.h"

#include "kinds/reasoning/thought_types.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace holdfast::reasoning {

namespace {

std::unexpected<Error> bad_query(std::string message, std::string hint = {}) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "invalid_argument");
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool fits(const Thought& thought, const ReadRequest& request) {
  if (!request.type.empty() && thought.type != request.type) return false;
  return request.confidence.empty() || find_string(thought.payload, "confidence") == std::string_view(request.confidence);
}

Result<std::vector<Thought>> selected(session::Reader& reader, const session::SessionRecord& record, const ReadRequest& request,
                                      std::string& words) {
  const std::string branch = request.branch.value_or("");
  const std::string of_branch = branch.empty() ? "" : fmt::format(" of branch '{}'", branch);
  std::vector<Thought> thoughts;
  if (request.number) {
    words = fmt::format("number {}{}", *request.number, of_branch);
    HF_TRY(auto entry, reader.entry_at(record.id, branch, *request.number));
    if (entry && is_thought_type(entry->type)) thoughts.push_back(to_thought(*entry));
    return thoughts;
  }
  const bool whole = request.range || request.branch || !request.type.empty() || !request.confidence.empty();
  if (request.last && !request.branch) {
    words = fmt::format("last {}", *request.last);
    return last_thoughts(reader, record.id, static_cast<std::size_t>(*request.last));
  }
  if (!whole) {
    constexpr std::size_t kDefault = 5;
    words = fmt::format("last {}", kDefault);
    return last_thoughts(reader, record.id, kDefault);
  }
  words = request.range    ? fmt::format("numbers {} to {}{}", request.range->first, request.range->second, of_branch)
          : request.branch ? fmt::format("all{}", of_branch)
                           : "all";
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    // A range and a branch name one chain; a filter alone looks at all of them.
    if ((request.range || request.branch) && thought.branch != branch) return true;
    if (request.range && (thought.number < request.range->first || thought.number > request.range->second)) return true;
    thoughts.push_back(std::move(thought));
    if (request.last && thoughts.size() > static_cast<std::size_t>(*request.last)) thoughts.erase(thoughts.begin());
    return true;
  }));
  if (request.range) std::ranges::sort(thoughts, {}, &Thought::number);
  return thoughts;
}

}  // namespace

Result<void> each_thought(session::Reader& reader, const std::string& session, const std::function<bool(Thought&&)>& each) {
  session::EntryQuery query;
  query.session = session;
  query.limit = session::kMaxEntryLimit;
  while (true) {
    HF_TRY(session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries)
      if (is_thought_type(entry.type) && !each(to_thought(entry))) return {};
    if (!page.next) return {};
    query.from = *page.next;
  }
}

Result<ReadAnswer> read_thoughts(session::Reader& reader, const session::SessionRecord& record, const ReadRequest& request) {
  if (request.last && (*request.last < 1 || *request.last > static_cast<std::int64_t>(kMaxRead)))
    return bad_query(fmt::format("last must be from 1 to {}", kMaxRead));
  if (request.range && (request.range->first < 1 || request.range->first > request.range->second))
    return bad_query("range must be [from, to] with 1 <= from <= to");
  if (request.number && (request.last || request.range)) return bad_query("thoughtNumber, last and range exclude each other");
  ReadAnswer answer;
  HF_TRY(answer.thoughts, selected(reader, record, request, answer.query));
  if (!request.type.empty() || !request.confidence.empty()) {
    answer.unfiltered = static_cast<std::int64_t>(answer.thoughts.size());
    std::erase_if(answer.thoughts, [&](const Thought& thought) { return !fits(thought, request); });
  }
  if (answer.thoughts.size() > kMaxRead) {
    answer.query += fmt::format(", the first {} of {}", kMaxRead, answer.thoughts.size());
    answer.thoughts.resize(kMaxRead);
  }
  if (request.branch && record.count_in_lane(*request.branch) == 0) answer.available_branches = branches_of(record);
  return answer;
}

bool cites(std::string_view text, std::int64_t number) {
  for (std::size_t at = text.find('S'); at != std::string_view::npos; at = text.find('S', at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::int64_t from = 0;
    auto parsed = std::from_chars(text.data() + at + 1, text.data() + text.size(), from);
    if (parsed.ec != std::errc{}) continue;
    std::int64_t to = from;
    const std::string_view rest(parsed.ptr, text.data() + text.size());
    if (rest.starts_with("-S")) {
      std::int64_t end = 0;
      const auto second = std::from_chars(rest.data() + 2, rest.data() + rest.size(), end);
      if (second.ec == std::errc{}) parsed = second, to = end;
    }
    if (parsed.ptr != text.data() + text.size() && is_word(*parsed.ptr)) continue;
    if (from <= number && number <= to) return true;
  }
  return false;
}

Result<std::vector<Thought>> query_thoughts(session::Reader& reader, const session::SessionRecord& record,
                                            const ThoughtQuery& query) {
  const int given =
      !query.type.empty() + (query.start || query.end) + query.references.has_value() + query.revisions_of.has_value();
  if (given != 1)
    return bad_query("give exactly one of type, start with end, referencesThought, revisionsOf",
                     "for example {\"type\":\"decision_frame\"} or {\"start\":3,\"end\":7}");
  if (!query.type.empty() && !is_thought_type(query.type))
    return bad_query(fmt::format("there is no thought type {}", query.type));
  if ((query.start || query.end) && (!query.start || !query.end || *query.start < 1 || *query.start > *query.end))
    return bad_query("start and end must both be given, with 1 <= start <= end");

  std::vector<Thought> found;
  // (branch, number) of the original and of everything that revises it; a target is always older than its revision.
  std::set<std::pair<std::string, std::int64_t>> family;
  if (query.revisions_of) family.insert({"", *query.revisions_of});
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    bool wanted = false;
    if (!query.type.empty()) wanted = thought.type == query.type;
    if (query.start) wanted = thought.number >= *query.start && thought.number <= *query.end;
    if (query.references) wanted = cites(thought.text, *query.references);
    if (query.revisions_of) {
      const bool original = thought.branch.empty() && thought.number == *query.revisions_of;
      const std::string target_branch = thought.revises_main ? "" : thought.branch;
      wanted = original || (thought.revises && family.contains({target_branch, *thought.revises}));
      if (wanted) family.insert({thought.branch, thought.number});
    }
    if (wanted) found.push_back(std::move(thought));
    return true;
  }));
  return found;
}

}  // namespace holdfast::reasoning
