// How a file becomes that of a copy.
//
// In come lines of one file after another, or small files whole; out come the same bytes, but for what a copy must say otherwise:
// its session's id, agents' ids, slugs, paths of the old project, and with fresh_uuids the records' own. A line takes four steps:
// it is walked once by the splicer, which shows every string of it to the rules (site_rules.h) and takes back what they changed
// in thinking blocks, since those are signed; then it is decided whether the record stays at all (cut behind up_to, bridges
// dropped), for only the walk knows its uuid and type; then what remains of the edits is counted and sampled; and only then are
// bytes made, so that nothing is counted that is not written. Several records on one line go through this one by one. What is no
// JSON, or too long to hold, has no strings that rules could be asked about: there the session's id alone is replaced, across the
// pieces it arrives in (IdInText). Where no rule can change anything, lines are copied, and looked into only for title and count.

#include "kinds/transcripts/rewrite/rewrite.h"

#include "base/ids.h"
#include "base/text/find_bytes.h"
#include "base/text/text.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/rewrite/site_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::transcripts {

namespace {

// The id of a session in text that cannot be taken apart: a torn line, a line with NUL in it, one that is too long to hold.
//
// Where a line is no JSON we look into, its strings are not known, but a UUID does not occur by chance. So it gives way to the id
// of the copy as it stands there, and with it the project's folder in a path in front of it; nothing else is touched. A long line
// comes in pieces, and what is to be replaced may lie across two of them: as much as may be the beginning of it is held back.
// One thread.

class IdInText {
 public:
  explicit IdInText(const Identity& identity);  // of a move: nothing is replaced

  // Appends what this piece of a text has become, but for what is held back.
  void add(std::string_view piece, std::string& out);
  // The text is over: appends the rest. Says whether anything of the text was replaced.
  bool end(std::string& out);

 private:
  void add_block(std::string_view block, std::string& out);

  const std::string id_, new_id_;
  const std::string path_, new_path_;  // "/projects/<folder>/<id>"
  std::string held_;
  bool replaced_ = false;
};

constexpr std::size_t kTextBlock = 64 * 1024;  // looked at together with what was held back

std::string folder_and_id(const std::string& folder, const std::string& id) {
  return "/projects/" + folder + "/" + id;
}

IdInText::IdInText(const Identity& identity)
    : id_(identity.keeps_id() ? "" : identity.old_session),
      new_id_(identity.new_session),
      path_(folder_and_id(identity.old_folder, identity.old_session)),
      new_path_(folder_and_id(identity.new_folder, identity.new_session)) {}

void IdInText::add(std::string_view piece, std::string& out) {
  if (id_.empty()) {
    out += piece;
    return;
  }
  for (; !piece.empty(); piece.remove_prefix(std::min(piece.size(), kTextBlock))) add_block(piece.substr(0, kTextBlock), out);
}

void IdInText::add_block(std::string_view block, std::string& out) {
  const std::string text = std::exchange(held_, {}).append(block);
  const std::string_view all = text;
  std::size_t done = 0;
  for (std::size_t at = find_bytes(all, id_); at != std::string_view::npos; at = find_bytes(all, id_, done)) {
    const std::size_t end = at + id_.size();
    const bool in_path = all.substr(done, end - done).ends_with(path_);
    out += all.substr(done, end - done - (in_path ? path_ : id_).size());
    out += in_path ? new_path_ : new_id_;
    done = end;
    replaced_ = true;
  }
  const std::size_t rest = std::min(all.size() - done, path_.size() - 1);
  out += all.substr(done, all.size() - done - rest);
  held_ = all.substr(all.size() - rest);
}

bool IdInText::end(std::string& out) {
  out += std::exchange(held_, {});
  return std::exchange(replaced_, false);
}

constexpr std::size_t kMaxSamples = 5;      // enough to see that a mapping is the one that was meant
constexpr std::size_t kSampleLength = 200;  // characters of either path
// What is held in memory to be rewritten as a whole. Files of this kind are a few KB; saved tool output may be of any size.
constexpr std::uint64_t kMaxWholeBytes = 16 * 1024 * 1024;
constexpr std::string_view kBridge = "bridge-session";

bool ends_in(const Artifact& artifact, std::string_view extension) {
  return artifact.path.ends_with(extension);
}

bool is_saved_text(const Artifact& artifact) {
  if (artifact.kind == ArtifactKind::plan) return true;
  return artifact.kind == ArtifactKind::tool_result &&
         (ends_in(artifact, ".txt") || ends_in(artifact, ".json") || ends_in(artifact, ".md"));
}

}  // namespace

void RewriteCounts::add(RewriteCounts&& more) {
  lines += more.lines;
  edited_lines += more.edited_lines;
  records += more.records;
  ids += more.ids;
  paths += more.paths;
  dropped_lines += more.dropped_lines;
  opaque_lines += more.opaque_lines;
  for (std::string& sample : more.samples)
    if (samples.size() < kMaxSamples && std::ranges::find(samples, sample) == samples.end()) samples.push_back(std::move(sample));
  if (more.custom_title) custom_title = std::move(more.custom_title);
}

struct Rewriter::State {
  State(Identity given_identity, PathMap given_paths, RewriteOptions given_options)
      : identity(std::move(given_identity)),
        paths(std::move(given_paths)),
        options(std::move(given_options)),
        rules(identity, paths, options.level),
        opaque(identity),
        splicer(rules_of()) {}

  jsonl::SpliceRules rules_of() {
    jsonl::SpliceRules made;
    made.decide = [this](jsonl::StringSite& site) { rules.decide(site); };
    made.untouched_objects = {{"type", "thinking"}, {"type", "redacted_thinking"}};
    return made;
  }

  bool cuts() const { return artifact.kind == ArtifactKind::main_transcript && !options.up_to.empty(); }
  bool drops_bridges() const { return !identity.keeps_id(); }

  jsonl::LineReport find(std::string_view json);
  bool is_dropped();
  void add_origin(std::string_view json);
  void count(std::string_view json);
  void add_sample(std::string_view json, std::string_view raw);
  bool rewrite_record(std::string_view json, std::string& out);
  bool rewrite_fused(std::string_view text, std::string& out);
  bool rewrite_line(std::string_view text, std::string& out);
  void rewrite_opaque(std::string_view text, std::string& out);
  void end_long_line(std::string& out);
  void copy_untouched(std::string_view text, std::string& out);
  void keep_title(std::string_view spelled);
  void copy_part(std::string_view text, std::string_view ending, std::string& out);

  const Identity identity;
  const PathMap paths;
  const RewriteOptions options;
  SiteRules rules;
  IdInText opaque;  // what is no JSON, or too long to look into
  jsonl::Splicer splicer;
  jsonl::Scanner scanner;
  RewriteCounts counts;
  std::vector<jsonl::Edit> edits;  // of the record being looked at
  bool edited = false;             // something in the line
  bool is_record = false;          // the line
  std::vector<std::string> sampled;

  Artifact artifact;
  bool reached = false;       // the record to cut behind
  bool in_long_line = false;  // the last piece was a part of one
  bool ends_in_line = true;   // what was given out so far ends with a newline
};

// The edits of one text, thinking blocks already left out.
jsonl::LineReport Rewriter::State::find(std::string_view json) {
  rules.begin(json);
  return splicer.find(json, edits);
}

// By the record just looked at.
bool Rewriter::State::is_dropped() {
  const SiteRules::Facts& facts = rules.facts();
  if (cuts()) {
    if (reached) return true;
    if (jsonl::spells(facts.uuid, options.up_to)) reached = true;
  }
  return drops_bridges() && jsonl::spells(facts.type, kBridge);
}

// Records with uuids of their own say where they come from, as those of the client's own forks do.
void Rewriter::State::add_origin(std::string_view json) {
  const SiteRules::Facts& facts = rules.facts();
  if (!identity.fresh_uuids || identity.keeps_id() || facts.forked || facts.uuid.empty()) return;
  if (!is_uuid(jsonl::text_of(facts.uuid)) || edits.empty()) return;
  edits.push_back(
      {json.rfind('}'), 0,
       R"(,"forkedFrom":{"sessionId":")" + identity.old_session + R"(","messageUuid":")" + std::string(facts.uuid) + R"("})"});
}

void Rewriter::State::count(std::string_view json) {
  auto edit = edits.begin();
  for (const SiteRules::Changed& changed : rules.changed()) {
    const auto from = static_cast<std::size_t>(changed.raw.data() - json.data());
    while (edit != edits.end() && edit->offset < from) ++edit;
    if (edit == edits.end() || edit->offset > from + changed.raw.size()) continue;  // taken back
    counts.ids += changed.ids;
    counts.paths += changed.path ? 1 : 0;
    if (changed.path && sampled.size() < kMaxSamples) add_sample(json, changed.raw);
  }
}

void Rewriter::State::add_sample(std::string_view json, std::string_view raw) {
  for (const std::string& known : sampled)
    if (known == raw) return;
  sampled.emplace_back(raw);
  const auto from = static_cast<std::size_t>(raw.data() - json.data());
  std::vector<jsonl::Edit> inside;
  for (const jsonl::Edit& edit : edits)
    if (edit.offset >= from && edit.offset + edit.length <= from + raw.size())
      inside.push_back({edit.offset - from, edit.length, edit.bytes});
  std::string after;
  if (!jsonl::append_edited(after, raw, inside)) return;
  const auto shown = [](std::string_view spelled) { return shorten(to_valid_utf8(jsonl::text_of(spelled)), kSampleLength); };
  RewriteCounts sample;
  sample.samples.push_back(shown(raw) + " -> " + shown(after));
  counts.add(std::move(sample));
}

// What find() found, made; false when the record is to be dropped.
bool Rewriter::State::rewrite_record(std::string_view json, std::string& out) {
  if (is_dropped()) return false;
  add_origin(json);
  count(json);
  // Edits of one walk are in order; if they ever were not, the record stays as it is.
  if (edits.empty() || !jsonl::append_edited(out, json, edits))
    out += json;
  else
    edited = true;
  return true;
}

// Several records on one line, each by itself.
bool Rewriter::State::rewrite_fused(std::string_view text, std::string& out) {
  std::vector<std::string_view> values;
  scanner.values(text, values);
  bool kept = false;
  std::size_t done = 0;
  for (const std::string_view value : values) {
    const auto at = static_cast<std::size_t>(value.data() - text.data());
    out += text.substr(done, at - done);
    done = at + value.size();
    find(value);
    const bool stays = rewrite_record(value, out);
    kept |= stays;
    edited |= !stays;
  }
  out += text.substr(done);
  return kept;
}

// False when nothing of the line is to be kept.
bool Rewriter::State::rewrite_line(std::string_view text, std::string& out) {
  if (cuts() && reached) return false;
  const jsonl::LineReport report = find(text);
  is_record = report.is_record();
  if (report.shape == jsonl::LineShape::fused) return rewrite_fused(text, out);
  if (report.parsed()) return rewrite_record(text, out);
  if (report.shape == jsonl::LineShape::blank)
    out += text;
  else
    rewrite_opaque(text, out);
  return true;
}

void Rewriter::State::rewrite_opaque(std::string_view text, std::string& out) {
  ++counts.opaque_lines;
  opaque.add(text, out);
  edited |= opaque.end(out);
}

// Where no rule can change anything, the line is looked into for what is counted.
void Rewriter::State::copy_untouched(std::string_view text, std::string& out) {
  static constexpr std::array<std::string_view, 1> kNames{"customTitle"};
  std::array<jsonl::Token, 1> found;
  const jsonl::LineReport report = scanner.fields(text, kNames, found);
  is_record = report.is_record();
  if (!report.parsed() && report.shape != jsonl::LineShape::blank) ++counts.opaque_lines;
  if (is_record && found[0].kind == jsonl::TokenKind::string) keep_title(found[0].raw.substr(1, found[0].raw.size() - 2));
  out += text;
}

void Rewriter::State::keep_title(std::string_view spelled) {
  if (artifact.kind == ArtifactKind::main_transcript) counts.custom_title = to_valid_utf8(jsonl::text_of(spelled));
}

// A piece of a line that is too long to look into.
void Rewriter::State::copy_part(std::string_view text, std::string_view ending, std::string& out) {
  if (!in_long_line) ++counts.lines, ++counts.opaque_lines;
  const bool dropped = cuts() && reached;
  if (dropped && !in_long_line) ++counts.dropped_lines;
  in_long_line = ending.empty();
  if (dropped) return;
  opaque.add(text, out);
  if (!ending.empty()) end_long_line(out);
  out += ending;
  ends_in_line = !ending.empty();
}

void Rewriter::State::end_long_line(std::string& out) {
  if (opaque.end(out)) ++counts.edited_lines;
}

Rewriter::Rewriter(Identity identity, PathMap paths, RewriteOptions options)
    : state_(std::make_unique<State>(std::move(identity), std::move(paths), std::move(options))) {}
Rewriter::Rewriter(Rewriter&&) noexcept = default;
Rewriter::~Rewriter() = default;

Rewriter Rewriter::twin() const {
  return {state_->identity, state_->paths, state_->options};
}

bool Rewriter::looks_back() const {
  return state_->cuts();
}

const Identity& Rewriter::identity() const {
  return state_->identity;
}

const RewriteCounts& Rewriter::counts() const {
  return state_->counts;
}

RewriteCounts Rewriter::take_counts() {
  state_->sampled.clear();
  return std::exchange(state_->counts, {});
}

void Rewriter::add_counts(RewriteCounts&& more) {
  state_->counts.add(std::move(more));
}

void Rewriter::begin(const Artifact& artifact) {
  state_->artifact = artifact;
  state_->rules.begin_file(artifact.kind);
  std::string of_a_file_that_failed;
  state_->opaque.end(of_a_file_that_failed);
  state_->reached = false;
  state_->in_long_line = false;
  state_->ends_in_line = true;
}

Result<void> Rewriter::line(std::string_view text, std::string_view ending, bool overlong, std::string& out) {
  State& state = *state_;
  if (overlong) {
    state.copy_part(text, ending, out);
    return {};
  }
  ++state.counts.lines;
  const std::size_t before = out.size();
  state.is_record = false;
  if (state.rules.inert() && !state.cuts()) {
    state.copy_untouched(text, out);
  } else {
    state.edited = false;
    if (!state.rewrite_line(text, out)) {
      out.resize(before);
      ++state.counts.dropped_lines;
      return {};
    }
    if (state.edited) ++state.counts.edited_lines;
    if (const auto title = state.rules.facts().custom_title; title && state.is_record) state.keep_title(*title);
  }
  if (state.is_record) ++state.counts.records;
  out += ending;
  state.ends_in_line = !ending.empty();
  return {};
}

Result<void> Rewriter::end(std::string& out) {
  State& state = *state_;
  state.end_long_line(out);  // its last piece had no ending
  if (!state.ends_in_line && !state.identity.keeps_id()) out += '\n';
  if (state.cuts() && !state.reached)
    return fail(ErrorKind::not_found, "no record with the uuid " + state.options.up_to + " in " + state.artifact.path,
                "give the \"uuid\" of a record of the main transcript, not of a subagent's");
  return {};
}

bool Rewriter::rewrites_whole(const Artifact& artifact) {
  if (artifact.size > kMaxWholeBytes) return false;
  switch (artifact.kind) {
    case ArtifactKind::agent_metadata:
    case ArtifactKind::workflow_run:
    case ArtifactKind::todo:
    case ArtifactKind::task:
      return ends_in(artifact, ".json");
    default:
      return is_saved_text(artifact);
  }
}

Result<void> Rewriter::whole(std::string_view text, std::string& out) {
  State& state = *state_;
  const bool saved = is_saved_text(state.artifact);
  if (state.rules.inert() || (saved && !(state.options.translate_files && state.options.level == PathLevel::all))) {
    out += text;
    return {};
  }
  if (!saved || ends_in(state.artifact, ".json")) {
    const jsonl::LineReport report = state.find(text);
    state.count(text);
    if (!report.parsed() && report.shape != jsonl::LineShape::blank)
      state.rewrite_opaque(text, out);
    else if (state.edits.empty() || !jsonl::append_edited(out, text, state.edits))
      out += text;
    return {};
  }
  std::size_t done = 0;
  for (const PathMap::Match& match : state.paths.occurrences(text)) {
    out += text.substr(done, match.from - done);
    out += match.replacement;
    done = match.to;
    ++state.counts.paths;
  }
  out += text.substr(done);
  return {};
}

}  // namespace holdfast::transcripts
