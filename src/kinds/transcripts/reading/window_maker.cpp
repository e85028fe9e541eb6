#include "kinds/transcripts/reading/window_maker.h"

#include "reading/html/visible_text.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kForkWords = 80;

std::size_t size_of(const reading::Part& part) {
  std::size_t size = part.text.text.size() + 64;
  if (part.result) size += part.result->output.text.size() + part.result->patch.size();
  for (const auto& [key, value] : part.arguments)
    if (value.is_string()) size += value.get_string().size();
  for (const reading::Image& image : part.images) size += image.base64.size();
  return size;
}

}  // namespace

// "workflows/wf_1/agent-a9" and "a9" are one.
std::string agent_key(std::string_view agent) {
  if (const std::size_t slash = agent.rfind('/'); slash != std::string_view::npos) agent.remove_prefix(slash + 1);
  constexpr std::string_view kPrefix = "agent-";
  if (agent.starts_with(kPrefix)) agent.remove_prefix(kPrefix.size());
  return "agent " + std::string(agent);
}

WindowMaker::WindowMaker(const reading::ByteSource& source, const LineIndex& index, const LineOrder& order, const Branch* branch,
                         const SubagentMap& subagents, const reading::WindowQuery& query)
    : index_(index),
      order_(order),
      branch_(branch),
      subagents_(subagents),
      query_(query),
      records_(source, index.product(), !index.has_events()) {}

bool WindowMaker::is_shown(std::uint32_t line) const {
  const IndexedLine found = index_.at(line);
  if (found.kind == LineKind::blank || found.kind == LineKind::side) return false;
  return !branch_ || branch_->has(line);
}

bool WindowMaker::begins_turn(std::uint32_t line) const {
  return is_shown(line) && index_.at(line).kind != LineKind::tool_result;
}

// A link to a result leads to the call it answers.
std::uint32_t WindowMaker::first_place() const {
  if (query_.from == 0 || index_.size() == 0) return 0;
  auto line = static_cast<std::uint32_t>(std::min<std::uint64_t>(query_.from - 1, index_.size() - 1));
  std::uint32_t place = order_.place(line);
  while (index_.at(line).kind == LineKind::tool_result && index_.parent(line) < index_.size()) {
    line = index_.parent(line);
    const std::uint32_t above = order_.place(line);
    if (above >= place || place - above > kResultReach) break;
    place = above;
  }
  return place;
}

std::uint32_t WindowMaker::start_before(std::uint32_t end) const {
  std::size_t turns = 0;
  std::uint32_t start = end;
  for (std::uint32_t place = end; place-- > 0 && turns < query_.turns;)
    if (begins_turn(order_.line(place))) {
      start = place;
      ++turns;
    }
  return turns == 0 ? 0 : start;
}

bool WindowMaker::is_full() const {
  return window_.turns.size() >= query_.turns || bytes_ >= std::max(reading::kWindowBytes, query_.limits.text_bytes);
}

Result<reading::Window> WindowMaker::make() {
  const std::uint32_t size = index_.size();
  const bool backward = query_.before != 0;
  const std::uint32_t end =
      backward && query_.before <= size ? order_.place(static_cast<std::uint32_t>(query_.before - 1)) : size;
  begin_ = backward ? start_before(end) : first_place();
  std::uint32_t place = begin_;
  for (; place < end; ++place) {
    const std::uint32_t line = order_.line(place);
    if (!is_shown(line)) continue;
    HF_TRY(const bool taken, take(line));
    if (!taken) break;
  }
  if (place < size) HF_CHECK(look_ahead(place));
  // The next window begins with a line of this way: one of another would open that.
  while (place < size && !is_shown(order_.line(place))) ++place;
  if (place < size) window_.next = order_.line(place) + 1;
  if (begin_ > 0 && begins_turn(order_.line(start_before(begin_)))) window_.previous = order_.line(begin_) + 1;
  window_.last_line = size;
  return std::move(window_);
}

Result<bool> WindowMaker::take(std::uint32_t line) {
  HF_TRY(auto records, records_.read(index_.at(line), line + 1, query_.limits));
  for (RecordParts& record : records) {
    if (!record.shown) continue;
    for (LooseResult& loose : record.results) take_result(line, std::move(loose), record.turn);
    if (record.turn.parts.empty()) continue;
    const bool same = !record.message_id.empty() && record.message_id == message_id_ && !window_.turns.empty() &&
                      window_.turns.back().role == record.turn.role;
    if (!same) {
      // Results that came with it are attached: nothing is lost when the window ends before this turn, they are taken again.
      if (is_full()) return false;
      window_.turns.push_back(std::move(record.turn));
      message_id_ = std::move(record.message_id);
    } else {
      reading::Turn& turn = window_.turns.back();
      turn.error = turn.error || record.turn.error;
      for (reading::Part& part : record.turn.parts) turn.parts.push_back(std::move(part));
    }
    reading::Turn& turn = window_.turns.back();
    for (std::size_t i = 0; i < turn.parts.size(); ++i) {
      reading::Part& part = turn.parts[i];
      if (part.line != line + 1) continue;
      bytes_ += size_of(part);
      if (part.kind != reading::Part::Kind::tool_call || part.result) continue;
      if (const auto agent = subagents_.find(part.id); agent != subagents_.end()) part.subagent = agent->second;
      if (!part.id.empty()) calls_[part.id] = {window_.turns.size() - 1, i};
    }
  }
  if (!window_.turns.empty()) HF_CHECK(add_forks(line, window_.turns.back()));
  return true;
}

void WindowMaker::take_result(std::uint32_t line, LooseResult loose, const reading::Turn& head) {
  if (const auto call = calls_.find(loose.call_id); call != calls_.end()) {
    attach(call->second, std::move(loose));
    calls_.erase(call);
    return;
  }
  // Shown with its call in the window before.
  const std::uint32_t parent = index_.parent(line);
  if (parent < index_.size() && order_.place(parent) < begin_ && order_.place(line) - begin_ < kResultReach) return;
  reading::Turn turn = head;
  turn.parts.clear();
  turn.role = reading::Role::other;
  reading::Part& part = turn.parts.emplace_back();
  part.kind = reading::Part::Kind::tool_result;
  part.line = line + 1;
  part.id = loose.call_id;
  part.result = std::move(loose.result);
  bytes_ += size_of(part);
  window_.turns.push_back(std::move(turn));
  message_id_.clear();
}

void WindowMaker::attach(const Call& call, LooseResult loose) {
  reading::Part& part = window_.turns[call.turn].parts[call.part];
  part.result = std::move(loose.result);
  if (!part.subagent && !loose.agent_id.empty())
    if (const auto agent = subagents_.find(agent_key(loose.agent_id)); agent != subagents_.end()) part.subagent = agent->second;
  bytes_ += size_of(part);
}

Result<void> WindowMaker::look_ahead(std::uint32_t place) {
  const std::uint32_t end = std::min(index_.size(), place + kResultReach);
  for (; place < end && !calls_.empty(); ++place) {
    const std::uint32_t line = order_.line(place);
    if (index_.at(line).kind != LineKind::tool_result || !is_shown(line)) continue;
    HF_TRY(auto records, records_.read(index_.at(line), line + 1, query_.limits));
    for (RecordParts& record : records)
      for (LooseResult& loose : record.results)
        if (const auto call = calls_.find(loose.call_id); call != calls_.end()) {
          attach(call->second, std::move(loose));
          calls_.erase(call);
        }
  }
  return {};
}

Result<void> WindowMaker::add_forks(std::uint32_t line, reading::Turn& turn) {
  if (!branch_) return {};
  const auto add = [&](const std::vector<std::uint32_t>& forks) -> Result<void> {
    for (const std::uint32_t other : forks) {
      if (turn.forks.size() >= kMostForks) break;
      reading::ReadLimits limits;
      limits.text_bytes = kForkWords * 4;
      HF_TRY(const auto records, records_.read(index_.at(other), other + 1, limits));
      reading::Fork fork;
      fork.line = other + 1;
      if (!records.empty() && !records.front().turn.parts.empty())
        fork.words = reading::visible_line(records.front().turn.parts.front().text.text, kForkWords);
      turn.forks.push_back(std::move(fork));
    }
    return {};
  };
  HF_CHECK(add(branch_->forks(line)));
  // Ways that begin anew are offered where this one begins.
  const bool root = index_.at(line).chained && !index_.at(line).sidechain && index_.parent(line) == LineIndex::kNone;
  if (root && !branch_->forks(LineIndex::kNone).empty() && index_.at(line).kind == LineKind::prompt)
    HF_CHECK(add(branch_->forks(LineIndex::kNone)));
  return {};
}

}  // namespace holdfast::transcripts
