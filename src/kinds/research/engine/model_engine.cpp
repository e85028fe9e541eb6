#include "base/text/text.h"
#include "kinds/research/engine/prompts.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/run/journal.h"
#include "kinds/research/run/run.h"
#include "model/models.h"
#include "model/wire/structured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holdfast::research {

namespace {

constexpr std::int64_t kCharactersPerToken = 4;  // as estimate_tokens
constexpr std::int64_t kLeastWindow = 2048;      // of an endpoint that says less than a prompt of ours takes
// Parts of the context window in percent: the answer and the instructions need the rest.
constexpr std::int64_t kEvidencePercent = 55;
constexpr int kShrinks = 3;            // threads-and-research §10
constexpr std::int64_t kShrinkTo = 9;  // tenths
constexpr std::size_t kMostClarifying = 3;
constexpr std::size_t kMostFindings = 50, kMostGaps = 20, kMostContradictions = 20;  // of one answer: more is a model gone astray
constexpr std::int64_t kLeastEvidence = 500;  // characters of a source: of less nothing can be told

using model::Ask;
using model::Reply;

bool is_overflow(const Error& error) {
  return error.word() == "CONTEXT_TOO_LARGE";
}

int answered_priority(const JsonObject& object) {
  return static_cast<int>(std::clamp(model::number_member(object, "priority").value_or(5), 1.0, 10.0));
}

std::vector<SubQuery> questions_in(const JsonObject& object, std::string_view key) {
  std::vector<SubQuery> questions;
  for (const JsonObject* each : model::objects_member(object, key)) {
    SubQuery question;
    question.query = model::text_member(*each, "query");
    question.rationale = model::text_member(*each, "rationale");
    question.priority = answered_priority(*each);
    if (!trim(question.query).empty()) questions.push_back(std::move(question));
  }
  if (questions.empty())  // plain texts instead of objects
    for (std::string& text : model::texts_member(object, key)) {
      SubQuery question;
      question.query = std::move(text);
      questions.push_back(std::move(question));
    }
  return questions;
}

class ModelEngine final : public Engine {
 public:
  ModelEngine(model::Models& models, Journal& journal) : models_(models), journal_(journal) {}

  std::string name() const override {
    const auto names = models_.providers("synthesis");
    return names.empty() ? "model" : names.front();
  }

  Result<Planned> plan(const Job& job) override {
    HF_TRY(const auto object, object_for("planning", planning_prompt(job)));
    Planned planned;
    planned.brief = job.query;
    if (std::string brief = model::text_member(object, "brief"); !brief.empty()) planned.brief = std::move(brief);
    planned.questions = questions_in(object, "sub_queries");
    if (job.clarify != "off") planned.assumptions = model::texts_member(object, "assumptions");
    return planned;
  }

  Result<Judgement> judge(const Job& job, const Round& round) override {
    HF_TRY(const auto object, object_for("planning", judging_prompt(job, round)));
    return Judgement{model::bool_member(object, "enough").value_or(true), model::text_member(object, "refined_query")};
  }

  std::size_t batch(const Job&, const std::vector<const Source*>& sources) override {
    std::int64_t room = evidence_characters("analysis");
    std::size_t count = 0;
    for (const Source* source : sources) {
      room -= static_cast<std::int64_t>(source->text().size());
      if (count > 0 && room < 0) break;
      ++count;
    }
    return count;
  }

  Result<Analysis> analyse(const Job& job, const RunState& state, const std::vector<const Source*>& batch) override {
    std::vector<const Finding*> earlier;
    for (const Finding& finding : state.findings) earlier.push_back(&finding);
    return analyse_in(job, batch, evidence_characters("analysis"), earlier);
  }

  Result<Draft> synthesise(const Job& job, const RunState& state) override {
    std::vector<const Finding*> findings;
    for (const Finding& finding : state.findings) findings.push_back(&finding);
    return write(job, state, findings, evidence_characters("synthesis"));
  }

  Result<Refinement> refine(const Job& job, const RunState& state) override {
    HF_TRY(const auto object, object_for("refinement", refinement_prompt(job, state)));
    return Refinement{questions_in(object, "follow_up_queries"), model::texts_member(object, "resolved_gap_ids")};
  }

 private:
  Ask ask_for(std::string_view purpose, const Prompt& prompt) const {
    Ask ask;
    ask.messages = prompt.messages();
    ask.provider = journal_.job().provider;
    ask.purpose = purpose;
    ask.timeout = journal_.budget().operation_time();
    // A try has its own limit; all of them together, with the pauses between, must leave the report its time.
    ask.cancelled = [this, for_report = purpose == "synthesis"] { return journal_.lease().ended() || is_late(for_report); };
    return ask;
  }

  bool is_late(bool for_report) const {
    const Budget budget = journal_.budget();
    return (for_report ? budget.report() : budget.model()) == "budget_time";
  }

  void note(std::string_view purpose, const Ask& ask, const Result<Reply>& reply, std::chrono::steady_clock::time_point began) {
    AuditEvent event;
    event.event = "llm";
    event.duration = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    event.provider = reply ? reply->provider : ask.provider;
    event.text = fmt::format("{}\n\n{}", purpose, ask.messages.back().content);
    if (reply) {
      event.model = reply->model;
      event.tokens = reply->tokens;
      event.text += "\n\n---\n\n" + reply->content;
    } else {
      event.error = reply.error().word();
    }
    journal_.audit(std::move(event));
  }

  Result<Reply> complete(std::string_view purpose, const Prompt& prompt) {
    const Ask ask = ask_for(purpose, prompt);
    const auto began = std::chrono::steady_clock::now();
    auto reply = models_.complete(ask);
    journal_.count_model_call(reply ? reply->tokens : model::Tokens{});
    note(purpose, ask, reply, began);
    return reply;
  }

  // The object a model answers with. Errors: kNoUse when neither the answer nor its repair held one.
  Result<JsonObject> object_for(std::string_view purpose, const Prompt& prompt) {
    const Ask ask = ask_for(purpose, prompt);
    const auto began = std::chrono::steady_clock::now();
    auto answer = model::ask_object(models_, ask);
    if (!answer) {
      journal_.count_model_call({});
      note(purpose, ask, fail(answer.error()), began);
      return fail(std::move(answer).error());
    }
    for (int i = 0; i < answer->asks; ++i) journal_.count_model_call(i == 0 ? answer->tokens : model::Tokens{});
    answer->reply.tokens = answer->tokens;
    note(purpose, ask, answer->reply, began);
    if (!answer->object)
      return fail(ErrorKind::refused, "it answered with prose instead of the object it was asked for", {}, std::string(kNoUse));
    return *std::move(answer->object);
  }

  std::int64_t evidence_characters(std::string_view purpose) const {
    Ask ask;
    ask.purpose = purpose;
    ask.provider = journal_.job().provider;
    std::int64_t tokens = std::max(kLeastWindow, models_.context_window(ask)) * kEvidencePercent / 100;
    // Never more than a prompt may still cost, with its answer.
    if (const auto left = journal_.budget().tokens_left(purpose == "synthesis"))
      tokens = std::min(tokens, std::max<std::int64_t>(0, *left - kLeastAnswer));
    return tokens * kCharactersPerToken;
  }

  // What each of several texts may have of the room: an equal part; what short ones leave goes to the long ones.
  static std::size_t share_of(std::vector<std::size_t> sizes, std::int64_t room) {
    std::ranges::sort(sizes);
    std::size_t left = static_cast<std::size_t>(std::max<std::int64_t>(room, 0)), most = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      most = left / (sizes.size() - i);
      if (sizes[i] > most) break;
      left -= sizes[i];
      most = sizes[i];
    }
    return most;
  }

  // A try that did not fit is followed by one that sends less: never more than nine tenths of what was sent before, whatever the
  // window was said to be.
  Result<Analysis> analyse_in(const Job& job, const std::vector<const Source*>& batch, std::int64_t room,
                              const std::vector<const Finding*>& earlier) {
    std::int64_t sent = 0;
    for (const Source* source : batch) sent += static_cast<std::int64_t>(source->text().size());
    sent = std::min(sent, room);
    for (int shrink = 0; shrink <= kShrinks; ++shrink, sent = sent * kShrinkTo / 10) {
      auto analysis = analyse_within(job, batch, sent, shrink == 0 ? earlier : std::vector<const Finding*>());
      if (analysis || !is_overflow(analysis.error())) return analysis;
    }
    if (batch.size() == 1) {
      for (; sent >= kLeastEvidence; sent /= 2) {
        auto analysis = analyse_within(job, batch, sent, {});
        if (analysis || !is_overflow(analysis.error())) return analysis;
      }
      journal_.warn(fmt::format("source {} did not fit into the model's context and was left out", batch.front()->citation));
      Analysis nothing;
      nothing.fidelity[batch.front()->id] = "dropped";
      return nothing;
    }
    journal_.warn("sources were analysed in smaller batches because they did not fit into the model's context");
    const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
    HF_TRY(Analysis first, analyse_in(job, {batch.begin(), middle}, sent, {}));
    HF_TRY(Analysis second, analyse_in(job, {middle, batch.end()}, sent, {}));
    std::ranges::move(second.findings, std::back_inserter(first.findings));
    std::ranges::move(second.gaps, std::back_inserter(first.gaps));
    std::ranges::move(second.contradictions, std::back_inserter(first.contradictions));
    first.fidelity.merge(second.fidelity);
    return first;
  }

  static std::vector<Block> blocks_within(const std::vector<const Source*>& batch, std::int64_t room,
                                          std::map<std::string, std::string>& fidelity) {
    std::vector<std::size_t> sizes;
    for (const Source* source : batch) sizes.push_back(source->text().size());
    const std::size_t most = share_of(std::move(sizes), room);
    std::vector<Block> blocks;
    for (const Source* source : batch) {
      const std::string_view text = utf8_prefix(source->text(), most);
      if (text.size() < source->text().size()) fidelity[source->id] = text.empty() ? "dropped" : "trimmed";
      blocks.push_back({fmt::format("source {}", source->citation), fmt::format("{}\n{}", source->title, text)});
    }
    return blocks;
  }

  Result<Analysis> analyse_within(const Job& job, const std::vector<const Source*>& batch, std::int64_t room,
                                  const std::vector<const Finding*>& earlier) {
    Analysis analysis;
    const Prompt prompt = analysis_prompt(job, blocks_within(batch, room, analysis.fidelity), earlier);
    HF_TRY(const auto object, object_for("analysis", prompt));
    if (!find_array(object, "findings"))
      return fail(ErrorKind::refused, "its answer has no list of findings", {}, std::string(kNoUse));
    std::map<std::string, std::string> by_citation, by_ref;
    for (const Source* source : batch) by_citation[std::to_string(source->citation)] = source->id;
    const auto source_id = [&](const std::string& number) {
      // Models write 3, "3", "[3]" and "source 3"; not -3, and neither 3.5 nor 3e5.
      const std::size_t digit = number.find_first_of("0123456789");
      if (digit == number.npos || (digit > 0 && number[digit - 1] == '-')) return std::string();
      const std::size_t end = std::min(number.find_first_not_of("0123456789", digit), number.size());
      if (number.find_first_of("0123456789", end) != number.npos) return std::string();
      const auto place = by_citation.find(number.substr(digit, end - digit));
      return place == by_citation.end() ? std::string() : place->second;
    };
    for (const JsonObject* each : model::objects_member(object, "findings")) {
      if (analysis.findings.size() == kMostFindings) break;
      Finding finding;
      finding.id = make_inner_id("find-");
      finding.content = model::text_member(*each, "content");
      finding.confidence = to_ascii_lower(model::text_member(*each, "confidence"));
      finding.category = model::text_member(*each, "category");
      for (const std::string& number : model::texts_member(*each, "sources"))
        if (std::string id = source_id(number); !id.empty()) finding.source_ids.push_back(std::move(id));
      for (const JsonObject* quote : model::objects_member(*each, "quotes"))
        finding.quotes.push_back({model::text_member(*quote, "text"), source_id(model::text_member(*quote, "source")), false});
      by_ref[model::text_member(*each, "ref")] = finding.id;
      analysis.findings.push_back(std::move(finding));
    }
    // That there is nothing to find is an answer; findings that no source has are none.
    const auto has_source = [](const Finding& finding) { return !finding.source_ids.empty() && !finding.content.empty(); };
    if (!find_array(object, "findings")->empty() && std::ranges::none_of(analysis.findings, has_source))
      return fail(ErrorKind::refused, "none of its findings names a source", {}, std::string(kNoUse));
    for (const JsonObject* each : model::objects_member(object, "gaps")) {
      if (analysis.gaps.size() == kMostGaps) break;
      Gap gap;
      gap.id = make_inner_id("gap-");
      gap.description = model::text_member(*each, "description");
      gap.suggested_queries = model::texts_member(*each, "suggested_queries");
      gap.priority = answered_priority(*each);
      analysis.gaps.push_back(std::move(gap));
    }
    for (const JsonObject* each : model::objects_member(object, "contradictions")) {
      if (analysis.contradictions.size() == kMostContradictions) break;
      Contradiction conflict;
      conflict.id = make_inner_id("contra-");
      for (const std::string& ref : model::texts_member(*each, "findings")) {
        const auto place = by_ref.find(ref);
        conflict.finding_ids.push_back(place == by_ref.end() ? ref : place->second);
      }
      conflict.description = model::text_member(*each, "description");
      conflict.severity = to_ascii_lower(model::text_member(*each, "severity"));
      conflict.resolution = model::text_member(*each, "resolution");
      conflict.preferred_source_id = source_id(model::text_member(*each, "preferred_source"));
      analysis.contradictions.push_back(std::move(conflict));
    }
    return analysis;
  }

  static std::vector<Block> finding_blocks(const RunState& state, const std::vector<const Finding*>& findings) {
    std::vector<Block> blocks;
    for (const Finding* finding : findings) {
      std::string citations;
      for (const std::string& id : finding->source_ids)
        if (const Source* source = state.source(id)) citations += fmt::format("[{}]", source->citation);
      std::string text = fmt::format("{} {} (confidence: {})", finding->content, citations, finding->confidence);
      for (const Quote& quote : finding->quotes)
        if (quote.verified && quote.text != finding->content) text += fmt::format("\nquote: \"{}\"", quote.text);
      blocks.push_back({finding->category, std::move(text)});
    }
    return blocks;
  }

  // The statement and its sources come first: they are the last to be cut.
  static std::vector<Block> cut_to(std::vector<Block> blocks, std::int64_t room) {
    std::vector<std::size_t> sizes;
    for (const Block& block : blocks) sizes.push_back(block.text.size());
    const std::size_t most = share_of(std::move(sizes), room);
    for (Block& block : blocks) block.text.resize(utf8_prefix(block.text, most).size());
    return blocks;
  }

  Result<Draft> write(const Job& job, const RunState& state, const std::vector<const Finding*>& findings, std::int64_t room) {
    const std::vector<Block> blocks = finding_blocks(state, findings);
    std::int64_t sent = 0;
    for (const Block& block : blocks) sent += static_cast<std::int64_t>(block.text.size());
    sent = std::min(sent, room);
    for (int shrink = 0; shrink <= kShrinks; ++shrink, sent = sent * kShrinkTo / 10) {
      auto draft = write_within(synthesis_prompt(job, cut_to(blocks, sent), state));
      if (draft || !is_overflow(draft.error())) return draft;
    }
    if (findings.size() == 1)
      return fail(ErrorKind::too_large, "not even one finding fits into the model's context", "use a model with a larger context",
                  "CONTEXT_TOO_LARGE");
    journal_.warn("the report was written in parts because the findings did not fit into the model's context");
    const auto middle = findings.begin() + static_cast<std::ptrdiff_t>(findings.size() / 2);
    HF_TRY(Draft first, write(job, state, {findings.begin(), middle}, sent));
    HF_TRY(const Draft second, write(job, state, {middle, findings.end()}, sent));
    first.text = merge_drafts(first.text, second.text);
    first.truncated = first.truncated || second.truncated;
    return first;
  }

  Result<Draft> write_within(const Prompt& prompt) {
    HF_TRY(Reply reply, complete("synthesis", prompt));
    Draft draft{std::move(reply.content), reply.model.empty() ? reply.provider : reply.model, false};
    if (reply.finish_reason != "length") {
      const std::string_view why = model::cut_off(reply.finish_reason);
      draft.truncated = !why.empty();
      if (draft.truncated) journal_.warn(std::string(why));
      return draft;
    }
    auto more = complete("synthesis", continuation_prompt(prompt, draft.text));
    if (!more) {
      journal_.warn(fmt::format("the report was cut at the model's length limit: {}", more.error().message));
      draft.truncated = true;
      return draft;
    }
    draft.text += more->content;
    draft.truncated = more->finish_reason == "length";
    return draft;
  }

  model::Models& models_;
  Journal& journal_;
};

}  // namespace

std::unique_ptr<Engine> make_model_engine(model::Models& models, Journal& journal) {
  return std::make_unique<ModelEngine>(models, journal);
}

Result<std::vector<std::string>> clarifying_questions(model::Models& models, const StartRequest& request) {
  std::vector<std::string> questions;
  if (models.providers("planning").empty()) return questions;
  Ask ask;
  ask.messages = clarifying_prompt(request.query).messages();
  ask.provider = request.provider;
  ask.purpose = "planning";
  HF_TRY(const model::StructuredReply answer, model::ask_object(models, ask));
  if (answer.object) questions = model::texts_member(*answer.object, "questions");
  if (questions.size() > kMostClarifying) questions.resize(kMostClarifying);
  return questions;
}

}  // namespace holdfast::research
