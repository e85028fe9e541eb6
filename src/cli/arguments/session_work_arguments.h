#pragma once

// What the commands `sessions …`, `research …` and `cleanup` are given.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct SessionWorkArguments {
  std::vector<std::string> words;  // ids; of list: filters as key=value; of research: the question or the message
  bool yes = false;
  bool dry_run = false;
  bool all = false;  // sessions notices: acknowledged ones too
  bool ack = false;  // sessions notices: mark them as seen
  std::string format;

  // sessions list
  std::vector<std::string> types, visibilities;
  bool completed = false, pinned = false, archived = false;
  std::string project, since, before, sort, cursor;

  // sessions redact
  std::vector<std::string> entry_ids;
  std::string pattern;
  bool regex = false;

  // research
  std::vector<std::string> corpus, search, providers, perspectives;
  std::map<std::string, std::int64_t> limits;  // by the names of research::kLimits
  bool detach = false, no_links = false;
  std::string title, mode, provider, model, thread, system, topic, action, strategy;
  std::optional<std::int64_t> depth;
};

}  // namespace holdfast::cli
