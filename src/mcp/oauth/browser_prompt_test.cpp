#include "mcp/oauth/browser_prompt.h"

#include "net/client/http_client.h"

#include <gtest/gtest.h>

#include <thread>

namespace holdfast::mcp::oauth {
namespace {

using namespace std::chrono_literals;

int visit(const std::string& url) {
  net::HttpCall call;
  call.url = url;
  const auto answer = net::HttpClient::make().value()->send(call);
  return answer ? answer->status : 0;
}

TEST(BrowserPrompt, WaitsForTheRedirectWithTheState) {
  std::string redirect;
  std::vector<int> statuses;
  std::thread browser;
  BrowserPrompt prompt([&](const std::string& url) -> Result<void> {
    EXPECT_EQ(url, "https://as/authorize");
    browser = std::thread([&] {
      statuses.push_back(visit(redirect + "?code=evil&state=guess"));
      statuses.push_back(visit(redirect + "/other?code=evil&state=right"));
      statuses.push_back(visit(redirect + "?code=c%20d&state=right"));
    });
    return {};
  });
  const auto place = prompt.prepare("").value();
  redirect = place->uri();
  const auto answer = place->ask("https://as/authorize", "right", {});
  browser.join();
  EXPECT_EQ(answer.value(), (Fields{{"code", "c d"}, {"state", "right"}}));
  EXPECT_EQ(statuses, (std::vector<int>{404, 404, 200}));
}

TEST(BrowserPrompt, TakesThePortOfBeforeOrAnother) {
  BrowserPrompt prompt([](const std::string&) -> Result<void> { return {}; });
  std::string uri;
  {
    const auto first = prompt.prepare("").value();
    uri = first->uri();
    EXPECT_NE(prompt.prepare(uri).value()->uri(), uri);
  }
  EXPECT_EQ(prompt.prepare(uri).value()->uri(), uri);
}

TEST(BrowserPrompt, WaitsWhereAClientWasRegisteredByHand) {
  BrowserPrompt prompt([](const std::string&) -> Result<void> { return {}; });
  std::string port;
  {
    const std::string uri = prompt.prepare("").value()->uri();
    port = uri.substr(uri.rfind(':') + 1, uri.rfind('/') - uri.rfind(':') - 1);
  }
  const std::string registered = "http://localhost:" + port + "/oauth/done";
  std::thread browser;
  BrowserPrompt visited([&](const std::string&) -> Result<void> {
    browser = std::thread([&] { visit("http://127.0.0.1:" + port + "/oauth/done?code=c&state=s"); });
    return {};
  });
  const auto place = visited.prepare(registered).value();
  EXPECT_EQ(place->uri(), registered);
  EXPECT_EQ(place->ask("https://as/", "s", {}).value(), (Fields{{"code", "c"}, {"state", "s"}}));
  browser.join();
  EXPECT_TRUE(prompt.prepare("https://elsewhere.example/callback").value()->uri().starts_with("http://127.0.0.1:"));
}

TEST(BrowserPrompt, CanBeGivenUp) {
  std::stop_source stop;
  BrowserPrompt prompt([&](const std::string&) -> Result<void> {
    stop.request_stop();
    return {};
  });
  EXPECT_EQ(prompt.prepare("").value()->ask("https://as/", "s", stop.get_token()).error().kind, ErrorKind::cancelled);
  BrowserPrompt impatient([](const std::string&) -> Result<void> { return {}; }, 1ms);
  EXPECT_EQ(impatient.prepare("").value()->ask("https://as/", "s", {}).error().kind, ErrorKind::timeout);
  BrowserPrompt none([](const std::string&) -> Result<void> { return fail(ErrorKind::not_found, "no browser"); });
  EXPECT_EQ(none.prepare("").value()->ask("https://as/", "s", {}).error().kind, ErrorKind::not_found);
}

TEST(BrowserPrompt, OpensNothingButWebPages) {
  EXPECT_EQ(open_in_browser("file:///etc/passwd").error().kind, ErrorKind::refused);
  EXPECT_EQ(open_in_browser("--help").error().kind, ErrorKind::refused);
}

}  // namespace
}  // namespace holdfast::mcp::oauth
