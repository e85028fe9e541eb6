#include "tools/call_scopes.h"

#include <algorithm>
#include <array>

namespace holdfast::tools {

namespace {

constexpr std::array<std::string_view, 15> kReadingOperations = {
    "list",          "pick",           "get",    "search",  "verify", "resume", "resume_latest", "read_thoughts",
    "get_structure", "query_thoughts", "export", "analyze", "brief",  "graph",  "notices"};
// Binding and navigating change what the connection remembers, and no session.
constexpr std::array<std::string_view, 6> kReadingInit = {"get_state",    "list_roots",    "bind_root",
                                                          "load_context", "list_sessions", "navigate"};
constexpr std::array<std::string_view, 5> kReadingActions = {"thread-list", "thread-get", "deep-research-status",
                                                             "deep-research-report", "deep-research-list"};

template <std::size_t N>
Scope scope_in(const std::array<std::string_view, N>& reading, std::string_view name) {
  return std::ranges::find(reading, name) != reading.end() ? Scope::read : Scope::write;
}

}  // namespace

Scope scope_of_session_operation(const JsonObject& arguments) {
  return scope_in(kReadingOperations, find_string(arguments, "operation").value_or(""));
}

Scope scope_of_init_operation(const JsonObject& arguments) {
  return scope_in(kReadingInit, find_string(arguments, "operation").value_or("get_state"));
}

Scope scope_of_research_action(const JsonObject& arguments) {
  return scope_in(kReadingActions, find_string(arguments, "action").value_or(""));
}

}  // namespace holdfast::tools
