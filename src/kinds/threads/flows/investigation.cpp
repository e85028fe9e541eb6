#include "kinds/threads/flows/investigation.h"

#include "base/text/text.h"
#include "model/wire/structured.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::threads {
namespace {

// Of one thread. The record that keeps them is read with every call and holds 4 MiB, also when every character is an escape of
// six bytes.
constexpr std::size_t kMaxHypotheses = 20;
constexpr std::size_t kMaxEvidence = 40;
constexpr std::size_t kMaxStatementCharacters = 500;

// All hypotheses in a prompt are then at most some 3,000 tokens.
constexpr std::size_t kBriefEvidence = 3;
constexpr std::size_t kBriefEvidenceCharacters = 120, kBriefStatementCharacters = 200;

struct StrengthRow {
  Strength strength;
  std::string_view name;
  double weight;
};
constexpr std::array kStrengths = {StrengthRow{Strength::weak, "weak", 0.5}, StrengthRow{Strength::moderate, "moderate", 1.0},
                                   StrengthRow{Strength::strong, "strong", 2.0}};

struct ConfidenceRow {
  Confidence confidence;
  std::string_view name;
  double below;  // the first score that is more than that
};
constexpr std::array kConfidences = {ConfidenceRow{Confidence::speculation, "speculation", 1},
                                     ConfidenceRow{Confidence::low, "low", 2}, ConfidenceRow{Confidence::medium, "medium", 4},
                                     ConfidenceRow{Confidence::high, "high", 6}};

std::optional<Strength> parse_strength(std::string_view name) {
  for (const StrengthRow& row : kStrengths)
    if (equal_ignoring_ascii_case(row.name, name)) return row.strength;
  return std::nullopt;
}

std::string folded(std::string_view text) {
  return fold_case(trim(text));
}

}  // namespace

std::string_view name_of(Strength strength) {
  return std::ranges::find(kStrengths, strength, &StrengthRow::strength)->name;
}

double weight_of(Strength strength) {
  return std::ranges::find(kStrengths, strength, &StrengthRow::strength)->weight;
}

std::string_view name_of(Confidence confidence) {
  const auto row = std::ranges::find(kConfidences, confidence, &ConfidenceRow::confidence);
  return row == kConfidences.end() ? "confirmed" : row->name;
}

Confidence confidence_of(double score) {
  for (const ConfidenceRow& row : kConfidences)
    if (score < row.below) return row.confidence;
  return Confidence::confirmed;
}

std::string_view name_of(Convergence convergence) {
  switch (convergence) {
    case Convergence::max_depth:
      return "max_depth_reached";
    case Convergence::confidence:
      return "hypotheses_confident";
    case Convergence::none:
      break;
  }
  return "none";
}

double Hypothesis::score() const {
  double sum = 0;
  for (const Evidence& piece : evidence) sum += piece.supports ? weight_of(piece.strength) : -weight_of(piece.strength);
  return sum;
}

Convergence Investigation::convergence() const {
  const bool confident = !hypotheses.empty() && std::ranges::all_of(hypotheses, [](const Hypothesis& hypothesis) {
    return hypothesis.confidence() >= Confidence::high;
  });
  if (confident) return Convergence::confidence;
  return depth >= max_depth ? Convergence::max_depth : Convergence::none;
}

std::vector<std::string> Investigation::add(const JsonObject& update) {
  std::vector<std::string> warnings;
  for (const JsonObject* proposed : model::objects_member(update, "hypotheses")) {
    const std::string id = model::text_member(*proposed, "id");
    const std::string statement = shorten(model::text_member(*proposed, "statement"), kMaxStatementCharacters);
    auto found = id.empty() ? hypotheses.end() : std::ranges::find(hypotheses, id, &Hypothesis::id);
    if (found == hypotheses.end() && !statement.empty())
      found =
          std::ranges::find_if(hypotheses, [&](const Hypothesis& known) { return folded(known.statement) == folded(statement); });
    if (found == hypotheses.end()) {
      if (statement.empty()) {
        warnings.push_back(fmt::format("the model spoke of a hypothesis \"{}\" that there is not", shorten(id, 40)));
        continue;
      }
      if (hypotheses.size() == kMaxHypotheses) {
        warnings.push_back(fmt::format("there are {} hypotheses already; a further one was left out", kMaxHypotheses));
        continue;
      }
      hypotheses.push_back({fmt::format("h{}", hypotheses.size() + 1), statement, {}});
      found = std::prev(hypotheses.end());
    }
    for (const JsonObject* piece : model::objects_member(*proposed, "evidence")) {
      Evidence evidence;
      evidence.text = shorten(model::text_member(*piece, "text"), kMaxStatementCharacters);
      if (evidence.text.empty() || found->evidence.size() == kMaxEvidence) continue;
      const bool known = std::ranges::any_of(found->evidence,
                                             [&](const Evidence& other) { return folded(other.text) == folded(evidence.text); });
      if (known) continue;
      evidence.strength = parse_strength(model::text_member(*piece, "strength")).value_or(Strength::weak);
      evidence.supports = model::bool_member(*piece, "supports").value_or(true);
      evidence.depth = depth + 1;
      found->evidence.push_back(std::move(evidence));
    }
  }
  return warnings;
}

std::string Investigation::brief() const {
  std::string out;
  for (const Hypothesis& hypothesis : hypotheses) {
    out += fmt::format("\n- {} ({}): {}", hypothesis.id, name_of(hypothesis.confidence()),
                       shorten(hypothesis.statement, kBriefStatementCharacters));
    const std::size_t skipped = hypothesis.evidence.size() - std::min(hypothesis.evidence.size(), kBriefEvidence);
    for (std::size_t at = skipped; at < hypothesis.evidence.size(); ++at)
      out +=
          fmt::format("\n  {} ({}): {}", hypothesis.evidence[at].supports ? "for" : "against",
                      name_of(hypothesis.evidence[at].strength), shorten(hypothesis.evidence[at].text, kBriefEvidenceCharacters));
  }
  return out.empty() ? "nothing" : out;
}

std::string Investigation::summary() const {
  std::vector<const Hypothesis*> ranked;
  for (const Hypothesis& hypothesis : hypotheses) ranked.push_back(&hypothesis);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto* a, const auto* b) { return a->score() > b->score(); });
  std::string out = fmt::format("# {}\n\n{} of {} steps, {} {}.\n", topic, depth, max_depth, hypotheses.size(),
                                hypotheses.size() == 1 ? "hypothesis" : "hypotheses");
  for (const Hypothesis* hypothesis : ranked) {
    out += fmt::format("\n## {} ({}, {:g})\n\n", hypothesis->statement, name_of(hypothesis->confidence()), hypothesis->score());
    for (const Evidence& piece : hypothesis->evidence)
      out += fmt::format("- {} ({}, {})\n", piece.text, piece.supports ? "for" : "against", name_of(piece.strength));
  }
  return out;
}

JsonObject Investigation::to_json() const {
  JsonArray list;
  for (const Hypothesis& hypothesis : hypotheses) {
    JsonArray pieces;
    for (const Evidence& piece : hypothesis.evidence)
      pieces.push_back(
          {{"text", piece.text}, {"strength", name_of(piece.strength)}, {"supports", piece.supports}, {"depth", piece.depth}});
    list.push_back({{"id", hypothesis.id},
                    {"statement", hypothesis.statement},
                    {"score", hypothesis.score()},
                    {"confidence", name_of(hypothesis.confidence())},
                    {"evidence", std::move(pieces)}});
  }
  return {{"topic", topic}, {"depth", depth}, {"max_depth", max_depth}, {"hypotheses", std::move(list)}};
}

Investigation Investigation::from_json(const JsonObject& json) {
  Investigation investigation;
  investigation.topic = model::text_member(json, "topic");
  investigation.depth = find_int(json, "depth").value_or(0);
  investigation.max_depth = find_int(json, "max_depth").value_or(kDefaultDepth);
  for (const JsonObject* stored : model::objects_member(json, "hypotheses")) {
    Hypothesis hypothesis{model::text_member(*stored, "id"), model::text_member(*stored, "statement"), {}};
    for (const JsonObject* piece : model::objects_member(*stored, "evidence"))
      hypothesis.evidence.push_back({model::text_member(*piece, "text"),
                                     parse_strength(model::text_member(*piece, "strength")).value_or(Strength::weak),
                                     find_bool(*piece, "supports").value_or(true), find_int(*piece, "depth").value_or(0)});
    investigation.hypotheses.push_back(std::move(hypothesis));
  }
  return investigation;
}

}  // namespace holdfast::threads
