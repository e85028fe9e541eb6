#pragma once

// What a LinkMap knows (links.h): for those who change links.

#include "kinds/documents/files/walk.h"
#include "kinds/documents/find/document_names.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::documents {

struct LinkTarget {
  std::string target;  // decoded
  bool markdown = false;
  auto operator<=>(const LinkTarget&) const = default;
};

// Targets of one document, each once, sorted.
struct DocumentLinks {
  std::vector<LinkTarget> accepted;
  std::vector<LinkTarget> base;  // only when something is pending there
};

struct LinkSource {
  Place place;
  std::shared_ptr<const DocumentLinks> links;
};

struct LinkMapState {
  LinkMapState(std::vector<std::string> paths, std::vector<std::string> folders, std::vector<LinkSource> from);

  DocumentNames names;
  std::vector<LinkSource> sources;  // bytewise by path; only documents that have links
  std::map<std::string, std::vector<std::string>, std::less<>> forward, backward;
};

// Whether links are looked for in it; any file can be linked to.
bool has_links(const Place& place);

}  // namespace holdfast::documents
