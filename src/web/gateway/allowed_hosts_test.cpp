#include "web/gateway/allowed_hosts.h"

#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

net::HttpRequest request(std::string host, std::string origin = {}) {
  net::HttpRequest request;
  if (!host.empty()) request.headers.emplace_back("Host", std::move(host));
  if (!origin.empty()) request.headers.emplace_back("Origin", std::move(origin));
  return request;
}

TEST(AllowedHosts, LoopbackTakesItsOwnNamesWithAnyPort) {
  AllowedHosts hosts("127.0.0.1", {});
  for (const char* good : {"localhost", "LOCALHOST:1", "127.0.0.1:4747", "[::1]", "[::1]:4747"})
    EXPECT_TRUE(hosts.host_allowed(request(good))) << good;
  for (const char* bad : {"evil.example.com", "localhost.evil.com", "127.0.0.1.evil.com:4747", "192.168.1.2", "[::1", "[::1]x",
                          "localhost:x", "", ":80", "user@localhost"})
    EXPECT_FALSE(hosts.host_allowed(request(bad))) << bad;
}

TEST(AllowedHosts, OtherAddressesTakeTheirNameAndTheConfiguredOnes) {
  AllowedHosts hosts("0.0.0.0", {"Box.local", "[fd00::1]"});
  EXPECT_TRUE(hosts.host_allowed(request("box.local:4747")));
  EXPECT_TRUE(hosts.host_allowed(request("[fd00::1]:4747")));
  EXPECT_TRUE(hosts.host_allowed(request("0.0.0.0:4747")));
  EXPECT_FALSE(hosts.host_allowed(request("other.local")));
}

TEST(AllowedHosts, OriginMustBeOurs) {
  AllowedHosts hosts("127.0.0.1", {"box.local"});
  hosts.set_port(4747);
  EXPECT_TRUE(hosts.origin_allowed(request("127.0.0.1:4747")));
  EXPECT_TRUE(hosts.origin_allowed(request("127.0.0.1:4747", "http://127.0.0.1:4747")));
  EXPECT_TRUE(hosts.origin_allowed(request("127.0.0.1:4747", "http://localhost:4747")));
  EXPECT_TRUE(hosts.origin_allowed(request("box.local", "https://box.local")));
  for (const char* bad : {"null", "http://evil.example.com", "http://localhost:3000", "http://localhost", "file://",
                          "http://127.0.0.1:4747.evil.com", "http://127.0.0.1:4747/"})
    EXPECT_FALSE(hosts.origin_allowed(request("127.0.0.1:4747", bad))) << bad;
}

}  // namespace
}  // namespace holdfast::web
