#include "base/text/text.h"
#include "kinds/research/run/run_state.h"

#include <algorithm>
#include <array>

namespace holdfast::research {

namespace {

constexpr std::size_t kTellingTitle = 20;  // characters; shorter titles ("Introduction") are shared by strangers (§10)

// Parameters that say where a reader came from, not what is read.
constexpr std::array kTrackingPrefixes = {std::string_view("utm_")};
constexpr std::array kTracking = {std::string_view("fbclid"), std::string_view("gclid"), std::string_view("ref_src"),
                                  std::string_view("mc_cid"), std::string_view("mc_eid")};

bool is_tracking(std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  return std::ranges::any_of(kTrackingPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kTracking, name) != kTracking.end();
}

std::string without_tracking(std::string_view parameters) {
  std::string kept;
  for (std::size_t begin = 0; begin < parameters.size();) {
    const std::size_t end = std::min(parameters.find('&', begin), parameters.size());
    const std::string_view parameter = parameters.substr(begin, end - begin);
    begin = end + 1;
    if (parameter.empty() || is_tracking(parameter)) continue;
    if (!kept.empty()) kept += '&';
    kept += parameter;
  }
  return kept;
}

}  // namespace

std::string comparable_title(std::string_view title) {
  std::string comparable;
  for (const char c : fold_case(title)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (is_letter) comparable += c;
    if (is_blank && !comparable.empty() && comparable.back() != ' ') comparable += ' ';
  }
  if (comparable.ends_with(' ')) comparable.pop_back();
  return utf8_length(comparable) > kTellingTitle ? comparable : std::string();
}

std::string canonical_uri(std::string_view uri) {
  uri = trim(uri);
  const std::size_t colon = uri.find("://");
  if (colon == std::string_view::npos) return std::string(uri);
  const std::string scheme = to_ascii_lower(uri.substr(0, colon));
  if (scheme != "http" && scheme != "https") return std::string(uri);  // in a corpus the fragment is the place
  uri.remove_prefix(colon + 3);
  uri = uri.substr(0, uri.find('#'));
  const std::size_t question = uri.find('?');
  const std::string parameters = question == std::string_view::npos ? std::string() : without_tracking(uri.substr(question + 1));
  std::string address(uri.substr(0, question));
  while (address.ends_with('/')) address.pop_back();
  const std::size_t slash = address.find('/');
  std::string host = to_ascii_lower(std::string_view(address).substr(0, slash));
  const std::string_view port = scheme == "http" ? ":80" : ":443";
  if (host.ends_with(port)) host.resize(host.size() - port.size());
  std::string canonical = scheme + "://" + host;
  if (slash != std::string::npos) canonical += address.substr(slash);
  if (!parameters.empty()) canonical += "?" + parameters;
  return canonical;
}

}  // namespace holdfast::research
