#pragma once

// What an ideate thread knows: ideas, the clusters they were put into, scores, the selection, and what was made of it (§9). Pure:
// no store, no model.
//
// The phases follow each other: divergent (generate) → convergent (cluster, score) → selection (select) → elaboration
// (elaborate). Each step needs what the one before has made; a step may be repeated.

#include "base/json/json.h"
#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

enum class IdeatePhase { divergent, convergent, selection, elaboration };
std::string_view name_of(IdeatePhase phase);

struct Idea {
  std::string id;  // "i1", "i2", …: short, because the model repeats it
  std::string text;
  std::string perspective;
  std::string cluster_id;                // empty: in none
  std::map<std::string, double> scores;  // by criterion, 0 to 10

  std::optional<double> average() const;
};

struct Cluster {
  std::string id;  // "c1", "c2", …
  std::string name;
};

struct Elaboration {
  std::string id;  // of the idea or cluster
  std::string text;
};

struct IdeaBoard {
  std::string topic;
  IdeatePhase phase = IdeatePhase::divergent;
  std::vector<std::string> perspectives, criteria;
  std::vector<Idea> ideas;
  std::vector<Cluster> clusters;
  std::vector<std::string> selected;  // ids of clusters or ideas
  std::vector<Elaboration> elaborations;

  // New ideas of one perspective; those that are known already (by their text) are left out. Returns how many were new.
  std::size_t add_ideas(std::string_view perspective, const std::vector<std::string>& texts);
  // {"clusters": [{"name", "idea_ids": [..]}]}. Every idea ends in exactly one cluster: what the answer forgets goes to "other".
  // False when the answer names no known idea; nothing is changed then.
  bool set_clusters(const JsonObject& answer);
  // One cluster per perspective: when nobody can tell better.
  void cluster_by_perspective();
  // {"scores": [{"id", "novelty": 7, …}]}. Returns how many ideas have a score for every criterion now.
  std::size_t set_scores(const JsonObject& answer);

  // Replaces an earlier one; the oldest go when there are too many.
  void elaborate(std::string_view id, std::string_view text);

  // Of a cluster: the mean of its ideas' averages.
  std::optional<double> average_of(std::string_view id) const;
  bool knows(std::string_view id) const;
  // The best clusters by average, or ideas while there are no clusters; ties in their order.
  std::vector<std::string> best(std::size_t count) const;
  std::string describe(std::string_view id) const;  // the idea, or the cluster with its ideas; one line each

  JsonObject to_json() const;
  static IdeaBoard from_json(const JsonObject& json);
};

}  // namespace holdfast::threads
