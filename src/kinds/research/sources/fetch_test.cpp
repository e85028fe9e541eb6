// Following links (threads-and-research §10, `follow_links`): where they may lead, and what comes back.

#include "kinds/research/sources/fetch.h"

#include "kinds/research/sources/test_web_server.h"

#include <gmock/gmock.h>

namespace holdfast::research {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

net::HttpResponse page(std::string body, std::string type = "text/html; charset=utf-8") {
  return {200, {{"Content-Type", std::move(type)}}, std::move(body)};
}
net::HttpResponse redirect(std::string location) {
  return {302, {{"Location", std::move(location)}}, {}};
}

Result<Fetched> fetch(std::string_view url, bool allow_private = true, std::chrono::milliseconds timeout = 30s,
                      const std::function<bool()>& cancelled = {}) {
  return make_fetcher(allow_private)->fetch(url, timeout, cancelled);
}

TEST(Fetch, S10GivesTheTextAndTitleOfAPage) {
  TestWebServer server([](const auto&) { return page("<title>T &amp; U</title><p>Hello</p><script>x</script>"); });
  const auto fetched = fetch(server.url("/a/b.html?q=1#part"));
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->uri, server.url("/a/b.html?q=1"));
  EXPECT_EQ(fetched->title, "T & U");
  EXPECT_EQ(fetched->text, "Hello");
}

TEST(Fetch, S10OtherTextsComeAsTheyAreAndAreCalledByTheirName) {
  TestWebServer server([](const auto& request) {
    return request.path == "/latin1" ? page("caf\xE9", "text/plain; charset=ISO-8859-1") : page("{\"a\": 1}", "application/json");
  });
  const auto json = fetch(server.url("/data/some%20file.json"));
  EXPECT_EQ(json.value().text, "{\"a\": 1}");
  EXPECT_EQ(json.value().title, "some file.json");
  EXPECT_EQ(fetch(server.url("/latin1")).value().text, "café");
  EXPECT_EQ(fetch(server.url("/")).value().title, "127.0.0.1");
}

TEST(Fetch, S10OnlyTextsOfAFewTypes) {
  std::string type;
  TestWebServer server([&](const auto&) { return page("x", type); });
  for (const char* good : {"text/markdown", "application/xhtml+xml", "application/xml", "application/atom+xml", "TEXT/HTML"}) {
    type = good;
    EXPECT_TRUE(fetch(server.url())) << good;
  }
  for (const char* bad : {"application/pdf", "image/png", "application/octet-stream", ""}) {
    type = bad;
    const auto fetched = fetch(server.url());
    ASSERT_FALSE(fetched) << bad;
    EXPECT_EQ(fetched.error().kind, ErrorKind::refused);
  }
}

TEST(Fetch, S10AtMostTwoMebibytes) {
  TestWebServer server(
      [](const auto& request) { return page(std::string(kFetchBytes + (request.path == "/big"), 'x'), "text/plain"); });
  EXPECT_EQ(fetch(server.url("/fits")).value().text.size(), kFetchBytes);
  EXPECT_EQ(fetch(server.url("/big")).error().kind, ErrorKind::too_large);
}

TEST(Fetch, S10StatusesAreErrors) {
  int status = 404;
  TestWebServer server([&](const auto&) { return net::HttpResponse{status, {{"Content-Type", "text/html"}}, "<p>no</p>"}; });
  EXPECT_EQ(fetch(server.url()).error().kind, ErrorKind::refused);
  status = 503;
  EXPECT_EQ(fetch(server.url()).error().kind, ErrorKind::unavailable);
}

TEST(Fetch, S10FollowsFiveRedirectsAndNoMore) {
  TestWebServer server([](const auto& request) {
    const int left = std::stoi(request.path.substr(1));
    return left == 0 ? page("there") : redirect(std::to_string(left - 1));
  });
  const auto fetched = fetch(server.url("/5"));
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->uri, server.url("/0"));
  EXPECT_THAT(server.seen(), SizeIs(6));
  EXPECT_EQ(fetch(server.url("/6")).error().kind, ErrorKind::refused);
}

TEST(Fetch, S10PrivateAddressesAreRefusedBeforeAnyConnection) {
  TestWebServer server([](const auto&) { return page("secret"); });
  const std::string port = server.url().substr(server.url().rfind(':'));
  for (const std::string& host :
       {std::string("127.0.0.1"), std::string("localhost"), std::string("2130706433"), std::string("0x7f.1"),
        std::string("127.1"), std::string("[::1]"), std::string("[::ffff:127.0.0.1]"), std::string("0.0.0.0")}) {
    const auto fetched = fetch("http://" + host + port + "/", false);
    ASSERT_FALSE(fetched) << host;
    EXPECT_TRUE(fetched.error().kind == ErrorKind::refused || fetched.error().kind == ErrorKind::unavailable) << host;
  }
  EXPECT_THAT(fetch("http://169.254.169.254/latest/meta-data/", false).error().message, HasSubstr("link-local"));
  EXPECT_THAT(server.seen(), SizeIs(0));
}

TEST(Fetch, S10ARedirectIsJudgedAgain) {
  // The first hop is allowed here; what the redirect names is not even a web address.
  for (const char* target : {"file:///etc/passwd", "gopher://127.0.0.1/", "http://user@127.0.0.1/", "http://"}) {
    TestWebServer server([&](const auto&) { return redirect(target); });
    const auto fetched = fetch(server.url());
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().kind, ErrorKind::invalid) << target;
    EXPECT_THAT(server.seen(), SizeIs(1));
  }
}

TEST(Fetch, S10TimeAndCancelEndTheWait) {
  TestWebServer server([](const auto&) { return TestWebServer::silence(); });
  EXPECT_EQ(fetch(server.url(), true, 100ms).error().kind, ErrorKind::timeout);
  EXPECT_EQ(fetch(server.url(), true, 30s, [&] { return server.seen().size() == 2; }).error().kind, ErrorKind::cancelled);
}

TEST(AddressRules, S10OnlyThePublicInternet) {
  for (const char* address : {"0.0.0.0",
                              "10.1.2.3",
                              "100.64.0.1",
                              "100.127.255.255",
                              "127.0.0.1",
                              "127.255.255.255",
                              "169.254.169.254",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.0.0.1",
                              "192.0.2.1",
                              "192.168.1.1",
                              "198.18.0.1",
                              "198.51.100.1",
                              "203.0.113.9",
                              "224.0.0.1",
                              "240.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "::ffff:10.0.0.1",
                              "::ffff:169.254.169.254",
                              "::127.0.0.1",
                              "64:ff9b::7f00:1",
                              "64:ff9b::a9fe:a9fe",
                              "64:ff9b:1::1",
                              "2002:7f00:1::",
                              "2002:c0a8:101::1",
                              "2001::1",
                              "2001:db8::1",
                              "3fff::1",
                              "100::1",
                              "fc00::1",
                              "fd00:ec2::254",
                              "fe80::1",
                              "fec0::1",
                              "ff02::1",
                              "::ffff:0:127.0.0.1",
                              "not an address",
                              "",
                              "1.2.3"})
    EXPECT_TRUE(why_not_public(address)) << address;
  for (const char* address : {"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.169.0.1",
                              "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2606:4700:4700::1111",
                              "2a00:1450:4001::1", "2001:4860:4860::8888"})
    EXPECT_FALSE(why_not_public(address)) << address;
}

TEST(WebUrlTest, PartsAndCanonicalForm) {
  const auto url = parse_web_url("HTTPS://Example.ORG:8443/a/./b/../c?x=/../y#frag").value();
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "example.org");
  EXPECT_EQ(url.port, "8443");
  EXPECT_EQ(url.path, "/a/c");
  EXPECT_EQ(url.query, "x=/../y");
  EXPECT_EQ(parse_web_url("http://h:80").value().text(), "http://h/");
  EXPECT_EQ(parse_web_url("http://h?q").value().text(), "http://h/?q");
  EXPECT_EQ(parse_web_url("https://[2606:4700::1111]:443/").value().text(), "https://[2606:4700::1111]/");
  for (const char* bad :
       {"", "http://", "http:///x", "//h/x", "ftp://h", "http://a b/", "http://h:0/", "http://h:99999/", "http://u@h/",
        "http://u:p@h/", "http://[::1/", "http://[::1]x/", "http://h\\@evil/", "http://h/\n", "http://fe80::1%25eth0/"})
    EXPECT_FALSE(parse_web_url(bad)) << bad;
}

TEST(WebUrlTest, LocationsAreSeenFromTheirPage) {
  const net::HttpUrl base = parse_web_url("https://h:8443/a/b?q").value();
  const auto resolved = [&](std::string_view location) { return resolve_web_url(base, location).value().text(); };
  EXPECT_EQ(resolved("http://other/x"), "http://other/x");
  EXPECT_EQ(resolved("//other/x"), "https://other/x");
  EXPECT_EQ(resolved("/x"), "https://h:8443/x");
  EXPECT_EQ(resolved("x"), "https://h:8443/a/x");
  EXPECT_EQ(resolved("../x"), "https://h:8443/x");
  EXPECT_EQ(resolved("../../../x"), "https://h:8443/x");
  EXPECT_EQ(resolved("?r"), "https://h:8443/a/b?r");
  EXPECT_EQ(resolved("#part"), "https://h:8443/a/b?q");
  EXPECT_FALSE(resolve_web_url(base, "javascript:alert(1)"));
}

}  // namespace
}  // namespace holdfast::research
