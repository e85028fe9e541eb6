#include "kinds/transcripts/reading/usage.h"

#include "jsonl/scan.h"
#include "kinds/transcripts/lines/each_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kSynthetic = "<synthetic>";
// Contents of an answer are texts and calls, never images; a larger one is no answer of a model and not worth parsing.
constexpr std::size_t kMaxContentBytes = 16 * 1024 * 1024;

// What one API message used, as its last record says: while an answer streams in, its counts grow from record to record.
struct Message {
  const std::string* model = nullptr;  // a key of models_
  TokenCounts tokens;
};

std::uint64_t number_of(const jsonl::Token& token) {
  std::uint64_t value = 0;
  if (token.kind == jsonl::TokenKind::number) std::from_chars(token.raw.data(), token.raw.data() + token.raw.size(), value);
  return value;
}

void add(TokenCounts& sum, const TokenCounts& tokens) {
  sum.input += tokens.input;
  sum.output += tokens.output;
  sum.cache_written += tokens.cache_written;
  sum.cache_read += tokens.cache_read;
}

class Counting {
 public:
  void take(std::string_view line) {
    constexpr std::array<std::string_view, 3> kNames = {"type", "subtype", "message"};
    std::array<jsonl::Token, 3> found;
    scanner_.fields(line, kNames, found);
    if (found[0].is("system") && found[1].is("compact_boundary")) ++usage_.compactions;
    if (found[0].is("assistant") && found[2].kind == jsonl::TokenKind::object) take_message(found[2].raw);
  }

  Usage finish() {
    for (const auto& [key, message] : messages_) {
      const TokenCounts& tokens = message.tokens;
      add(usage_.models[*message.model], tokens);
      if (tokens.input + tokens.cache_written + tokens.cache_read > kLongPrompt) add(usage_.long_prompts[*message.model], tokens);
    }
    usage_.messages = messages_.size();
    return std::move(usage_);
  }

  Usage& usage() { return usage_; }

 private:
  void take_message(std::string_view text) {
    constexpr std::array<std::string_view, 4> kNames = {"id", "model", "usage", "content"};
    std::array<jsonl::Token, 4> found;
    scanner_.fields(text, kNames, found);
    if (found[1].kind != jsonl::TokenKind::string || found[1].is(kSynthetic)) return;
    Message& message = messages_[key_of(found[0])];
    message.model = &model_name(found[1]);
    if (found[2].kind == jsonl::TokenKind::object) message.tokens = tokens_of(found[2].raw);
    if (found[3].raw.find("tool_use") != std::string_view::npos) take_calls(found[3].raw);
  }

  // The hash stands for the id: 64 bits do not meet by chance among the messages of a session, and a million of ids would cost
  // ten times the memory. A message without an id is one of its own.
  std::size_t key_of(const jsonl::Token& id) {
    return id.kind == jsonl::TokenKind::string ? std::hash<std::string_view>{}(id.raw) : ++without_id_;
  }

  const std::string& model_name(const jsonl::Token& token) { return *models_.insert(token.text()).first; }

  TokenCounts tokens_of(std::string_view text) {
    constexpr std::array<std::string_view, 4> kNames = {"input_tokens", "output_tokens", "cache_creation_input_tokens",
                                                        "cache_read_input_tokens"};
    std::array<jsonl::Token, 4> found;
    scanner_.fields(text, kNames, found);
    return {number_of(found[0]), number_of(found[1]), number_of(found[2]), number_of(found[3])};
  }

  void take_calls(std::string_view content) {
    if (content.size() > kMaxContentBytes) return;
    const auto blocks = parse_json(content);
    if (!blocks || !blocks->is_array()) return;
    for (const Json& value : blocks->get_array()) {
      const JsonObject* block = value.if_object();
      if (!block || find_string(*block, "type") != "tool_use") continue;
      const auto id = find_string(*block, "id");
      if (id && !calls_.insert(std::hash<std::string_view>{}(*id)).second) continue;
      ++usage_.tool_calls[std::string(find_string(*block, "name").value_or("unknown"))];
    }
  }

  Usage usage_;
  std::unordered_map<std::size_t, Message> messages_;
  std::unordered_set<std::size_t> calls_;
  std::unordered_set<std::string> models_;  // nodes stay where they are
  std::size_t without_id_ = 0;
  jsonl::Scanner scanner_;
};

JsonObject to_json(const TokenCounts& tokens) {
  return {{"input", tokens.input},
          {"output", tokens.output},
          {"cache_written", tokens.cache_written},
          {"cache_read", tokens.cache_read}};
}

}  // namespace

Result<Usage> measure_usage(SessionSource& source, const Inventory& inventory, const Progress& progress) {
  Counting counting;
  for (const Artifact& artifact : inventory.artifacts)
    if (artifact.kind == ArtifactKind::flat_agent || artifact.kind == ArtifactKind::nested_agent) ++counting.usage().subagents;
  HF_CHECK(each_line(
      source, inventory.artifacts, "usage",
      [&](const Artifact&, const jsonl::Line& line) -> Result<void> {
        if (!line.overlong) counting.take(line.text);
        return {};
      },
      progress));
  return counting.finish();
}

JsonObject to_json(const Usage& usage) {
  JsonObject models, tools;
  for (const auto& [name, tokens] : usage.models) models[name] = to_json(tokens);
  for (const auto& [name, count] : usage.tool_calls) tools[name] = count;
  return {{"messages", usage.messages},
          {"subagents", usage.subagents},
          {"compactions", usage.compactions},
          {"models", std::move(models)},
          {"tool_calls", std::move(tools)}};
}

}  // namespace holdfast::transcripts
