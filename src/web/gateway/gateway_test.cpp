// The gateway with a client that has no socket.

#include "web/assets/assets.h"
#include "web/gateway/logins.h"
#include "web/gateway/test_gateway.h"
#include "web/pages/page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::web {
namespace {

using operations::AccessTokens;
using operations::grant_for;
using operations::TokenGrant;

using testing::HasSubstr;
using testing::Not;

TEST_F(GatewayTest, HostAndOriginComeBeforeEverything) {
  for (const char* path : {"/healthz", "/mcp", "/", "/nothing"}) {
    EXPECT_EQ(ask("GET", path, {{"Host", "evil.example.com"}}).status, 403) << path;
    EXPECT_EQ(ask("GET", path, {{"Origin", "http://evil.example.com"}}).status, 403) << path;
  }
  EXPECT_EQ(ask("GET", "/healthz", {{"Origin", "http://127.0.0.1:4747"}}).status, 200);
}

TEST_F(GatewayTest, McpTakesABearerTokenOnly) {
  auto answer = ask("POST", "/mcp");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(header_of(answer, "WWW-Authenticate"), "Bearer");
  answer = ask("POST", "/mcp", {{"Authorization", "Bearer wrong"}});
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(header_of(answer, "WWW-Authenticate"),
            "Bearer error=\"invalid_token\", error_description=\"this token is not valid\"");
  EXPECT_EQ(ask("POST", "/mcp", {{"Cookie", log_in()}}).status, 401);
  const std::string token = AccessTokens(*store).add(grant_for("ann")).value();
  EXPECT_EQ(ask("POST", "/mcp?token=" + token).status, 401);
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Basic " + token}}).status, 401);
}

TEST_F(GatewayTest, ATokenOpensTheSessionsOfItsName) {
  const std::string token = AccessTokens(*store).add(grant_for("ann")).value();
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "bearer  " + token}}).body, "mcp ann");
}

TEST_F(GatewayTest, WithoutAuthenticationTheServersUserIsLocal) {
  make_gateway(false);
  EXPECT_EQ(ask("POST", "/mcp").body, "mcp local without a token");
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Bearer none"}}).body, "mcp local without a token");
  EXPECT_EQ(ask("GET", "/").status, 200);
  EXPECT_EQ(ask("GET", "/healthz", {{"Host", "evil.example.com"}}).status, 403);
}

TEST_F(GatewayTest, P2WithoutATokenOnlyTheServersOwnUserIsServed) {
  make_gateway(false);
  const std::string token = AccessTokens(*store).add(grant_for("ann")).value();
  for (const std::optional<std::uint32_t> user : {std::optional(::geteuid() + 1), std::optional<std::uint32_t>()}) {
    peer_user = user;
    for (const char* path : {"/mcp", "/", "/events", "/metrics", "/sessions/x"}) {
      EXPECT_EQ(ask("GET", path).status, 401) << path;
      EXPECT_FALSE(last_was_admitted) << path;
      EXPECT_EQ(ask("GET", path, {{"Authorization", "Bearer hf_wrong"}}).status, 401) << path;
    }
    EXPECT_THAT(ask("POST", "/mcp").body, HasSubstr("holdfast token add"));
    EXPECT_EQ(ask("GET", "/healthz").status, 200);
    EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Bearer " + token}}).body, "mcp ann");
  }
  peer_user = ::geteuid();
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Bearer " + token}}).body, "mcp ann");
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Bearer hf_wrong"}}).body, "mcp local without a token");
}

TEST_F(GatewayTest, P4NobodyIsAdmittedWithoutATokenOrALogin) {
  const std::string cookie = log_in();
  const std::string bearer = "Bearer " + AccessTokens(*store).add(grant_for("ann")).value();
  const auto form = [&](net::HttpHeaders more) {
    more.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    return more;
  };
  const std::string origin = "http://127.0.0.1:4747";
  const std::vector<std::pair<const char*, net::HttpHeaders>> strangers = {
      {"/mcp", {}},
      {"/mcp", {{"Authorization", "Bearer hf_wrong"}}},
      {"/mcp", {{"Authorization", bearer}, {"Host", "evil.example.com"}}},
      {"/mcp", {{"Authorization", bearer}, {"Origin", "http://evil.example.com"}}},
      {"/mcp", {{"Cookie", cookie}}},
      {"/theme", form({{"Origin", origin}})},
      {"/theme", form({{"Cookie", cookie}})},
      {"/theme", form({{"Cookie", cookie}, {"Origin", "null"}})},
      {"/theme", form({{"Cookie", "holdfast_4747=wrong"}, {"Origin", origin}})},
      {"/healthz", {}},
      {"/nothing", {{"Cookie", cookie}}},
  };
  for (const auto& [path, headers] : strangers) {
    EXPECT_GE(ask("POST", path, headers, std::string(1000, 'x')).status, 400) << path;
    EXPECT_FALSE(last_was_admitted) << path;
  }
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", bearer}}).status, 200);
  EXPECT_TRUE(last_was_admitted);
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}}).status, 200);
  EXPECT_TRUE(last_was_admitted);
}

TEST_F(GatewayTest, P5ALoginCountsForTheUserWhoseBrowserItWas) {
  const std::string cookie = log_in();
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}}).status, 200);
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", "localhost:4747"}}).status, 200);
  for (const std::optional<std::uint32_t> user : {std::optional(::geteuid() + 1), std::optional<std::uint32_t>()}) {
    peer_user = user;
    for (const char* host : {"127.0.0.1:4747", "localhost", "[::1]:4747"})
      EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", host}}).status, 401) << host;
    EXPECT_EQ(ask("GET", "/events", {{"Cookie", cookie}}).status, 401);
  }
}

TEST_F(GatewayTest, P5ALoginUnderThePrivateNameCountsThereAlone) {
  const std::string host = login_host(store->secret()) + ":4747";
  EXPECT_THAT(host, testing::MatchesRegex("holdfast-[0-9a-f]+\\.localhost:4747"));
  const auto answer = ask("GET", "/?code=" + Logins(*store).make_code("local").value(), {{"Host", host}});
  EXPECT_EQ(answer.status, 303);
  const std::string set = header_of(answer, "Set-Cookie"), cookie = set.substr(0, set.find(';'));
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", host}}).status, 200);
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", host}, {"Origin", "http://" + host}}).status, 200);
  for (const char* other : {"127.0.0.1:4747", "localhost:4747", "[::1]:4747"})
    EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", other}}).status, 401) << other;
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", "holdfast-0123456789abcdef.localhost:4747"}}).status, 403);
  peer_user = ::geteuid() + 1;
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", host}}).status, 401);
}

TEST_F(GatewayTest, P5BehindTlsTheCookieIsForThatHostAlone) {
  oauth.public_url = "https://box.example.com";
  allowed_hosts = {"box.example.com"};
  make_gateway(true);
  peer_user = ::geteuid() + 1;  // the proxy's
  const auto answer = ask("GET", "/?code=" + Logins(*store).make_code("local").value(), {{"Host", "box.example.com"}});
  const std::string set = header_of(answer, "Set-Cookie"), cookie = set.substr(0, set.find(';'));
  EXPECT_THAT(set, testing::AllOf(testing::StartsWith("__Host-holdfast_4747="), HasSubstr("; Secure"), HasSubstr("; Path=/;")));
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", "box.example.com"}}).status, 200);
  peer_user.reset();  // another machine's proxy
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}, {"Host", "box.example.com"}}).status, 200);
}

TEST_F(GatewayTest, P5AWrongTokenOrCodeLeavesALineAndAFloodOfThemDoesNot) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Bearer hf_guessed"}}).status, 401);
  EXPECT_EQ(ask("GET", "/?code=guessedcode").status, 401);
  EXPECT_EQ(ask("POST", "/mcp").status, 401);  // a client that does not know yet is no guess
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(log, '\n'), 2) << log;
  EXPECT_THAT(log, testing::AllOf(HasSubstr("127.0.0.1:50123 was refused: this token is not valid"), HasSubstr("login code"),
                                  Not(HasSubstr("guessed"))));
  RefusalLog refusals;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 1000; ++i) refusals.note("peer", "why");
  log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(log, '\n'), RefusalLog::kLinesAMinute);
}

TEST_F(GatewayTest, PagesTakeTheCookieOfALogin) {
  auto answer = ask("GET", "/");
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.body, HasSubstr("holdfast login"));
  EXPECT_EQ(ask("GET", "/", {{"Cookie", "holdfast_4747=nonsense"}}).status, 401);
  const std::string cookie = log_in();
  EXPECT_EQ(ask("GET", "/", {{"Cookie", "other=1; " + cookie}}).status, 200);
  EXPECT_EQ(ask("GET", "/", {{"Authorization", "Bearer " + AccessTokens(*store).add(grant_for("ann")).value()}}).status, 401);
}

TEST_F(GatewayTest, ACodeWorksOnceAndAPreviewDoesNotUseItUp) {
  const std::string path = "/?code=" + Logins(*store).make_code("local").value();
  EXPECT_EQ(ask("HEAD", path).status, 200);
  EXPECT_EQ(ask("GET", path).status, 303);
  auto answer = ask("GET", path);
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.body, HasSubstr("has been used already"));
  EXPECT_EQ(header_of(answer, "Set-Cookie"), "");
}

TEST_F(GatewayTest, PagesKeepToThemselves) {
  auto answer = ask("GET", "/");
  EXPECT_THAT(header_of(answer, "Content-Security-Policy"),
              testing::AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'"), Not(HasSubstr("unsafe"))));
  EXPECT_EQ(header_of(answer, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header_of(answer, "Referrer-Policy"), "same-origin");
  EXPECT_EQ(header_of(answer, "Cache-Control"), "no-store");
}

TEST_F(GatewayTest, TheHomePageShowsSessionsEscaped) {
  ASSERT_TRUE(store->write([](session::Transaction& transaction) {
    session::SessionRecord record;
    record.id = "thread-1";
    record.kind = "thread";
    record.title = "<script>alert(1)</script>";
    record.status = "active";
    record.root_name = "\"><b>";
    return transaction.create(record);
  }));
  auto answer = ask("GET", "/", {{"Cookie", log_in()}});
  EXPECT_THAT(answer.body, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(answer.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(answer.body, Not(HasSubstr("<b>")));
  EXPECT_THAT(answer.body, HasSubstr("version 1.2.3"));
}

TEST_F(GatewayTest, HealthIsOpenAndMetricsAreNot) {
  EXPECT_EQ(ask("GET", "/healthz").body, "ok\n");
  EXPECT_EQ(ask("GET", "/healthz", {{"Accept", "application/json"}}).body, R"({"status":"ok","version":"1.2.3"})");
  EXPECT_EQ(ask("GET", "/metrics").status, 401);
  const auto with = [&](const char* name, Scopes scopes) {
    TokenGrant grant = grant_for(name);
    grant.scopes = scopes;
    return ask("GET", "/metrics", {{"Authorization", "Bearer " + AccessTokens(*store).add(grant).value()}});
  };
  auto answer = with("ann", {Scope::write, Scope::review});
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(header_of(answer, "WWW-Authenticate"), "Bearer error=\"insufficient_scope\", scope=\"admin\"");
  answer = with("operator", {Scope::admin});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("# TYPE holdfast_requests_total counter\nholdfast_requests_total 7\n"));
  EXPECT_THAT(answer.body, HasSubstr("\nholdfast_store_up 1\n"));
  EXPECT_THAT(answer.body, HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST_F(GatewayTest, UnknownPathsAndMethods) {
  EXPECT_EQ(ask("GET", "/nothing").status, 404);
  EXPECT_EQ(ask("GET", "/../etc/passwd").status, 404);
  EXPECT_THAT(ask("GET", "/nothing", {{"Accept", "text/html"}}).body, HasSubstr("<h1>There is nothing"));
  EXPECT_EQ(ask("POST", "/").status, 405);
  EXPECT_EQ(ask("GET", "/assets/style.css").status, 404);
  EXPECT_EQ(ask("POST", asset_path("style.css")).status, 405);
  auto style = ask("GET", asset_path("style.css"));
  EXPECT_EQ(style.status, 200);
  EXPECT_THAT(style.body, HasSubstr("prefers-color-scheme"));
  EXPECT_THAT(style.body, Not(HasSubstr("url(")));
}

// A form as a browser sends it from one of our pages.
net::HttpHeaders form_headers(const std::string& cookie) {
  return {{"Cookie", cookie}, {"Origin", "http://127.0.0.1:4747"}, {"Content-Type", "application/x-www-form-urlencoded"}};
}

TEST_F(GatewayTest, AFormNeedsTheTokenOfItsLogin) {
  const std::string cookie = log_in(), other = log_in();
  const auto token = [&](const std::string& of) { return make_form_token(store->secret(), of.substr(of.find('=') + 1)); };
  const std::string dark = "theme=dark&back=%2Fstorage&form_token=";
  EXPECT_EQ(ask("POST", "/theme", form_headers(cookie), "theme=dark").status, 403);
  EXPECT_EQ(ask("POST", "/theme", form_headers(cookie), dark + token(other)).status, 403);
  EXPECT_EQ(ask("POST", "/theme", {}, dark + token(cookie)).status, 403);
  EXPECT_EQ(
      ask("POST", "/theme", {{"Cookie", cookie}, {"Content-Type", "application/x-www-form-urlencoded"}}, dark + token(cookie))
          .status,
      403);
  EXPECT_EQ(ask("POST", "/theme", form_headers("holdfast_4747=nobody"), dark + token("x=nobody")).status, 401);
  auto headers = form_headers(cookie);
  headers[1].second = "null";
  EXPECT_EQ(ask("POST", "/theme", headers, dark + token(cookie)).status, 403);
  auto answer = ask("POST", "/theme", form_headers(cookie), dark + token(cookie));
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(header_of(answer, "Location"), "/storage");
  EXPECT_THAT(header_of(answer, "Set-Cookie"), testing::StartsWith("holdfast_theme=dark; "));
}

TEST_F(GatewayTest, ARedirectStaysHere) {
  const std::string cookie = log_in();
  const std::string token = make_form_token(store->secret(), cookie.substr(cookie.find('=') + 1));
  for (const char* back : {"//evil.example.com", "https://evil.example.com", "/%5C%5Cevil", "%0d%0aX: y", ""})
    EXPECT_EQ(
        header_of(ask("POST", "/theme", form_headers(cookie), fmt::format("back={}&form_token={}", back, token)), "Location"),
        "/")
        << back;
}

TEST_F(GatewayTest, LoggingOutEndsTheCookie) {
  const std::string cookie = log_in();
  const std::string token = make_form_token(store->secret(), cookie.substr(cookie.find('=') + 1));
  EXPECT_EQ(ask("POST", "/logout", form_headers(cookie), "form_token=" + token).status, 303);
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}}).status, 401);
}

TEST_F(GatewayTest, EventsNeedALoginToo) {
  EXPECT_EQ(ask("GET", "/events").status, 401);
  EXPECT_EQ(ask("POST", "/events").status, 405);
}

}  // namespace
}  // namespace holdfast::web
