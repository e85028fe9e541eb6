#pragma once

// An MCP server and its authorization server as an HttpClient in memory: what is sent to a URL is answered by a function.

#include "mcp/oauth/web.h"
#include "net/client/http_client.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

inline constexpr const char* kTokenPlace = "https://as.com/token";

class TestPeer final : public net::HttpClient {
 public:
  using Page = std::function<net::HttpAnswer(const net::HttpCall&)>;

  Result<net::HttpAnswer> send(const net::HttpCall& call) override {
    seen.push_back(call);
    const auto page = pages.find(call.url.substr(0, call.url.find('?')));
    return page == pages.end() ? net::HttpAnswer{404, {}, "no"} : page->second(call);
  }
  void serve(const std::string& url, std::string body, int status = 200) {
    pages[url] = [=](const net::HttpCall&) { return net::HttpAnswer{status, {}, body}; };
  }
  std::size_t visits(const std::string& url) const {
    std::size_t count = 0;
    for (const net::HttpCall& call : seen) count += call.url == url;
    return count;
  }

  std::map<std::string, Page> pages;
  std::vector<net::HttpCall> seen;
};

// The fields of the form that was sent.
inline std::map<std::string, std::string> form_of(const net::HttpCall& call) {
  const Fields fields = read_form(call.body).value();
  return {fields.begin(), fields.end()};
}

}  // namespace holdfast::mcp::oauth
