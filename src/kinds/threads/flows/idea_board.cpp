#include "kinds/threads/flows/idea_board.h"

#include "base/text/text.h"
#include "model/wire/structured.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::threads {
namespace {

// Of one thread. The record that keeps them is read with every call and holds 4 MiB; the whole text of an elaboration is in its
// message.
constexpr std::size_t kMaxIdeas = 300;
constexpr std::size_t kMaxIdeaCharacters = 500;
constexpr std::size_t kMaxElaborations = 20;
constexpr std::size_t kMaxElaborationCharacters = 10'000;
constexpr double kLowestScore = 0, kHighestScore = 10;

constexpr std::array<std::string_view, 4> kPhases = {"divergent", "convergent", "selection", "elaboration"};

template <class Items>
auto find_id(Items& items, std::string_view id) {
  return std::ranges::find_if(items, [&](const auto& item) { return item.id == id; });
}

}  // namespace

std::string_view name_of(IdeatePhase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::optional<double> Idea::average() const {
  if (scores.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [criterion, score] : scores) sum += score;
  return sum / static_cast<double>(scores.size());
}

std::size_t IdeaBoard::add_ideas(std::string_view perspective, const std::vector<std::string>& texts) {
  std::size_t added = 0;
  for (const std::string& given : texts) {
    const std::string text = shorten(trim(given), kMaxIdeaCharacters);
    const std::string folded = fold_case(text);
    if (text.empty() || ideas.size() == kMaxIdeas) continue;
    if (std::ranges::any_of(ideas, [&](const Idea& idea) { return fold_case(idea.text) == folded; })) continue;
    ideas.push_back({fmt::format("i{}", ideas.size() + 1), text, std::string(perspective), {}, {}});
    ++added;
  }
  return added;
}

bool IdeaBoard::set_clusters(const JsonObject& answer) {
  std::vector<Cluster> made;
  std::map<std::string, std::string> places;  // idea -> cluster
  for (const JsonObject* proposed : model::objects_member(answer, "clusters")) {
    Cluster cluster{fmt::format("c{}", made.size() + 1), shorten(model::text_member(*proposed, "name"), kMaxIdeaCharacters)};
    if (cluster.name.empty()) cluster.name = cluster.id;
    bool used = false;
    for (const std::string& id : model::texts_member(*proposed, "idea_ids"))
      if (find_id(ideas, id) != ideas.end()) used = places.try_emplace(id, cluster.id).second || used;
    if (used) made.push_back(std::move(cluster));
  }
  if (made.empty()) return false;
  const Cluster rest{fmt::format("c{}", made.size() + 1), "other"};
  for (Idea& idea : ideas) {
    const auto place = places.find(idea.id);
    idea.cluster_id = place == places.end() ? rest.id : place->second;
  }
  if (std::ranges::any_of(ideas, [&](const Idea& idea) { return idea.cluster_id == rest.id; })) made.push_back(rest);
  clusters = std::move(made);
  selected.clear();  // ids of clusters mean something else now
  return true;
}

void IdeaBoard::cluster_by_perspective() {
  clusters.clear();
  selected.clear();
  for (Idea& idea : ideas) {
    auto cluster = std::ranges::find(clusters, idea.perspective, &Cluster::name);
    if (cluster == clusters.end())
      cluster = clusters.insert(clusters.end(), {fmt::format("c{}", clusters.size() + 1), idea.perspective});
    idea.cluster_id = cluster->id;
  }
}

std::size_t IdeaBoard::set_scores(const JsonObject& answer) {
  for (const JsonObject* row : model::objects_member(answer, "scores")) {
    const auto idea = find_id(ideas, model::text_member(*row, "id"));
    if (idea == ideas.end()) continue;
    for (const std::string& criterion : criteria)
      if (const auto score = model::number_member(*row, criterion))
        idea->scores[criterion] = std::clamp(*score, kLowestScore, kHighestScore);
  }
  return static_cast<std::size_t>(std::ranges::count_if(ideas, [&](const Idea& idea) {
    return std::ranges::all_of(criteria, [&](const std::string& criterion) { return idea.scores.contains(criterion); });
  }));
}

void IdeaBoard::elaborate(std::string_view id, std::string_view text) {
  std::erase_if(elaborations, [&](const Elaboration& made) { return made.id == id; });
  if (elaborations.size() == kMaxElaborations) elaborations.erase(elaborations.begin());
  elaborations.push_back({std::string(id), shorten(text, kMaxElaborationCharacters)});
}

std::optional<double> IdeaBoard::average_of(std::string_view id) const {
  if (const auto idea = find_id(ideas, id); idea != ideas.end()) return idea->average();
  double sum = 0, count = 0;
  for (const Idea& idea : ideas) {
    const auto average = idea.cluster_id == id ? idea.average() : std::nullopt;
    if (average) sum += *average, count += 1;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

bool IdeaBoard::knows(std::string_view id) const {
  return find_id(ideas, id) != ideas.end() || find_id(clusters, id) != clusters.end();
}

std::vector<std::string> IdeaBoard::best(std::size_t count) const {
  std::vector<std::pair<double, std::string>> ranked;
  const auto consider = [&](const std::string& id) {
    if (const auto average = average_of(id)) ranked.emplace_back(*average, id);
  };
  for (const Cluster& cluster : clusters) consider(cluster.id);
  if (clusters.empty())
    for (const Idea& idea : ideas) consider(idea.id);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < ranked.size() && at < count; ++at) ids.push_back(std::move(ranked[at].second));
  return ids;
}

std::string IdeaBoard::describe(std::string_view id) const {
  if (const auto idea = find_id(ideas, id); idea != ideas.end()) return fmt::format("{}: {}\n", idea->id, idea->text);
  std::string text;
  if (const auto cluster = find_id(clusters, id); cluster != clusters.end())
    text = fmt::format("{}: {}\n", cluster->id, cluster->name);
  for (const Idea& idea : ideas)
    if (idea.cluster_id == id) text += fmt::format("  {}: {}\n", idea.id, idea.text);
  return text;
}

JsonObject IdeaBoard::to_json() const {
  JsonArray idea_list, cluster_list, made;
  for (const Idea& idea : ideas) {
    JsonObject item{{"id", idea.id}, {"text", idea.text}, {"perspective", idea.perspective}};
    if (!idea.cluster_id.empty()) item["cluster_id"] = idea.cluster_id;
    if (const auto average = idea.average()) {
      JsonObject scores;
      for (const auto& [criterion, score] : idea.scores) scores[criterion] = score;
      item["scores"] = std::move(scores);
      item["average"] = *average;
    }
    idea_list.push_back(std::move(item));
  }
  for (const Cluster& cluster : clusters) {
    JsonArray members;
    for (const Idea& idea : ideas)
      if (idea.cluster_id == cluster.id) members.emplace_back(idea.id);
    JsonObject item{{"id", cluster.id}, {"name", cluster.name}, {"idea_ids", std::move(members)}};
    if (const auto average = average_of(cluster.id)) item["average"] = *average;
    cluster_list.push_back(std::move(item));
  }
  for (const Elaboration& elaboration : elaborations) made.push_back({{"id", elaboration.id}, {"text", elaboration.text}});
  return {{"topic", topic},
          {"phase", name_of(phase)},
          {"perspectives", to_json_array(perspectives)},
          {"criteria", to_json_array(criteria)},
          {"ideas", std::move(idea_list)},
          {"clusters", std::move(cluster_list)},
          {"selected", to_json_array(selected)},
          {"elaborations", std::move(made)}};
}

IdeaBoard IdeaBoard::from_json(const JsonObject& json) {
  IdeaBoard board;
  board.topic = model::text_member(json, "topic");
  const auto phase = std::ranges::find(kPhases, model::text_member(json, "phase"));
  if (phase != kPhases.end()) board.phase = static_cast<IdeatePhase>(phase - kPhases.begin());
  board.perspectives = model::texts_member(json, "perspectives");
  board.criteria = model::texts_member(json, "criteria");
  board.selected = model::texts_member(json, "selected");
  for (const JsonObject* stored : model::objects_member(json, "ideas")) {
    Idea idea{model::text_member(*stored, "id"),
              model::text_member(*stored, "text"),
              model::text_member(*stored, "perspective"),
              model::text_member(*stored, "cluster_id"),
              {}};
    if (const JsonObject* scores = find_object(*stored, "scores"))
      for (const auto& [criterion, score] : *scores)
        if (const auto number = model::number_member(*scores, criterion)) idea.scores[std::string(criterion)] = *number;
    board.ideas.push_back(std::move(idea));
  }
  for (const JsonObject* stored : model::objects_member(json, "clusters"))
    board.clusters.push_back({model::text_member(*stored, "id"), model::text_member(*stored, "name")});
  for (const JsonObject* stored : model::objects_member(json, "elaborations"))
    board.elaborations.push_back({model::text_member(*stored, "id"), model::text_member(*stored, "text")});
  return board;
}

}  // namespace holdfast::threads
