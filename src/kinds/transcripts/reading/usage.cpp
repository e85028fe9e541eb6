#include "kinds/transcripts/reading/usage.h"

#include "base/files/file.h"
#include "jsonl/scan.h"
#include "kinds/transcripts/lines/each_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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

namespace {

// The vendor's public list prices in dollars per million tokens, of the day below. Writing to the cache is the price of five
// minutes.
constexpr const char* kBuiltInDate = "2026-10-10";
struct BuiltIn {
  const char* model;
  double input, output, cache_read, long_prompt_factor;
};
constexpr BuiltIn kBuiltIn[] = {
    {"claude-fable-5-1", 10, 50, 0.25, 1},   {"claude-fable-5", 10, 50, 1, 1},       {"claude-opus-5-5", 4, 20, 0.20, 1},
    {"claude-opus-5", 5, 25, 0.50, 1},       {"claude-opus-4-8", 5, 25, 0.50, 1},    {"claude-opus-4-7", 5, 25, 0.50, 1},
    {"claude-opus-4-6", 5, 25, 0.50, 1},     {"claude-opus-4-5", 5, 25, 0.50, 1},    {"claude-opus-4-1", 15, 75, 1.50, 1},
    {"claude-opus-4", 15, 75, 1.50, 1},      {"claude-sonnet-5-5", 2, 10, 0.20, 1},  {"claude-sonnet-5", 2, 10, 0.20, 1},
    {"claude-sonnet-4-6", 3, 15, 0.30, 1},   {"claude-sonnet-4-5", 3, 15, 0.30, 1},  {"claude-sonnet-4", 3, 15, 0.30, 1},
    {"claude-3-7-sonnet", 3, 15, 0.30, 1},   {"claude-3-5-sonnet", 3, 15, 0.30, 1},  {"claude-haiku-5-5", 0.10, 0.50, 0.01, 5},
    {"claude-haiku-4-5", 1, 5, 0.10, 1},     {"claude-3-5-haiku", 0.80, 4, 0.08, 1}, {"claude-3-opus", 15, 75, 1.50, 1},
    {"claude-3-haiku", 0.25, 1.25, 0.03, 1},
};

// What the vendor's prices have in common; a file that names no cache prices gets these.
constexpr double kCacheWriteFactor = 1.25, kCacheReadFactor = 0.1;
constexpr std::size_t kMaxPriceFileBytes = 1024 * 1024;  // a price list is a page
constexpr double kMaxPrice = 1e6;

Prices built_in() {
  Prices prices;
  prices.as_of = kBuiltInDate;
  for (const BuiltIn& row : kBuiltIn)
    prices.models[row.model] = {row.input, row.output, row.input * kCacheWriteFactor, row.cache_read, row.long_prompt_factor};
  return prices;
}

std::unexpected<Error> wrong(const std::string& file, const std::string& what) {
  return fail(ErrorKind::invalid, fmt::format("{}: {}", file, what), "docs/transcripts-usage.md shows what it looks like");
}

Result<Prices::PerMillion> price_of(const std::string& file, std::string_view model, const Json& value) {
  const JsonObject* object = value.if_object();
  if (!object) return wrong(file, fmt::format("models.{} must be an object", model));
  Prices::PerMillion price;
  const struct {
    std::string_view name;
    double* to;
  } fields[] = {{"input", &price.input},
                {"output", &price.output},
                {"cache_written", &price.cache_written},
                {"cache_read", &price.cache_read},
                {"long_prompt_factor", &price.long_prompt_factor}};
  for (const std::string_view required : {"input", "output"})
    if (!object->contains(required)) return wrong(file, fmt::format("models.{}.{} is missing", model, required));
  for (const auto& [name, number] : *object) {
    double* to = nullptr;
    for (const auto& field : fields)
      if (field.name == std::string_view(name)) to = field.to;
    if (!to) return wrong(file, fmt::format("models.{} has no price called {}", model, std::string_view(name)));
    const double amount = number.is_number() ? number.to_number<double>() : -1;
    if (!(amount >= 0 && amount <= kMaxPrice)) {
      return wrong(file, fmt::format("models.{}.{} must be a number from 0 to {}", model, std::string_view(name), kMaxPrice));
    }
    *to = amount;
  }
  if (!object->contains("cache_written")) price.cache_written = price.input * kCacheWriteFactor;
  if (!object->contains("cache_read")) price.cache_read = price.input * kCacheReadFactor;
  return price;
}

// "-7" behind "claude-opus-5" makes it another model; "-20260724" is its date.
bool names_another_version(std::string_view rest) {
  if (!rest.starts_with('-')) return false;
  rest.remove_prefix(1);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits == 1 || digits == 2;
}

const Prices::PerMillion* price_for(const Prices& prices, std::string_view model) {
  const Prices::PerMillion* best = nullptr;
  std::size_t length = 0;
  for (const auto& [start, price] : prices.models) {
    if (!model.starts_with(start) || names_another_version(model.substr(start.size()))) continue;
    if (!best || start.size() >= length) best = &price, length = start.size();
  }
  return best;
}

double dollars(const TokenCounts& tokens, const Prices::PerMillion& price) {
  return (static_cast<double>(tokens.input) * price.input + static_cast<double>(tokens.output) * price.output +
          static_cast<double>(tokens.cache_written) * price.cache_written +
          static_cast<double>(tokens.cache_read) * price.cache_read) /
         1e6;
}

}  // namespace

Result<Prices> read_prices(const std::string& file) {
  Prices prices = built_in();
  auto text = read_file(file, kMaxPriceFileBytes);
  if (!text && text.error().kind == ErrorKind::not_found) return prices;
  if (!text) return fail(std::move(text).error());
  const auto parsed = parse_json(*text);
  if (!parsed) return wrong(file, parsed.error().message);
  const JsonObject* object = parsed->if_object();
  if (!object) return wrong(file, "must be an object");
  for (const auto& [name, value] : *object)
    if (name != "as_of" && name != "models") return wrong(file, fmt::format("{} is not known here", std::string_view(name)));
  const JsonObject* models = find_object(*object, "models");
  if (!models) return wrong(file, "models must be an object of prices by model name");
  const auto as_of = find_string(*object, "as_of");
  if (!as_of) return wrong(file, "as_of must be a date, so that people see how old the prices are");
  prices.as_of = *as_of;
  for (const auto& [name, value] : *models) {
    if (name.empty()) return wrong(file, "models has an empty name");
    HF_TRY(prices.models[std::string(name)], price_of(file, name, value));
  }
  return prices;
}

Cost cost_of(const Usage& usage, const Prices& prices) {
  Cost cost;
  cost.as_of = prices.as_of;
  for (const auto& [model, tokens] : usage.models) {
    const Prices::PerMillion* price = price_for(prices, model);
    if (!price) {
      cost.unpriced.push_back(model);
      continue;
    }
    double sum = dollars(tokens, *price);
    if (const auto part = usage.long_prompts.find(model); part != usage.long_prompts.end())
      sum += dollars(part->second, *price) * (price->long_prompt_factor - 1);
    cost.by_model[model] = sum;
    cost.dollars += sum;
  }
  return cost;
}

JsonObject to_json(const Cost& cost) {
  JsonObject models;
  for (const auto& [name, dollars] : cost.by_model) models[name] = dollars;
  return {{"dollars", cost.dollars},
          {"as_of", cost.as_of},
          {"by_model", std::move(models)},
          {"unpriced", JsonArray(cost.unpriced.begin(), cost.unpriced.end())}};
}

}  // namespace holdfast::transcripts
