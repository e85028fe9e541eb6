#include "base/text/uri.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast {
namespace {

std::string canonical(std::string_view text) {
  const auto root = canonical_root(text);
  return root ? *root : "error: " + root.error().message;
}

TEST(CanonicalRoot, OneFormForEachSpelling) {
  const std::pair<const char*, const char*> vectors[] = {
      {"file:///C:/x", "file:///c:/x"},
      {"file:///c%3A/x/", "file:///c:/x"},
      {"file:///c%3a/x", "file:///c:/x"},
      {"file://C:/x", "file:///c:/x"},
      {"C:\\x\\y\\", "file:///c:/x/y"},
      {"c:/x", "file:///c:/x"},
      {"file:///C:", "file:///c:/"},
      {"file:///C:/", "file:///c:/"},
      {"C:\\", "file:///c:/"},
      {"C:\\..\\..\\x", "file:///c:/x"},
      {"FILE:///home/me", "file:///home/me"},
      {"file:/home/me", "file:///home/me"},
      {"file://localhost/home/me", "file:///home/me"},
      {"file://LocalHost/home/me?x=1#y", "file:///home/me"},
      {"/home/me", "file:///home/me"},
      {"/home/me/", "file:///home/me"},
      {"/home//me/./a/../b", "file:///home/me/b"},
      {"file:///home/%2e%2E/me", "file:///me"},
      {"file:///a%2F..%2Fb", "file:///b"},
      {"/..", "file:///"},
      {"/", "file:///"},
      {"file://", "file:///"},
      {"file:///", "file:///"},
      {"file://localhost", "file:///"},
      {"/my app", "file:///my%20app"},
      {"file:///my%20app", "file:///my%20app"},
      {"file:///my app", "file:///my%20app"},
      {"file:///my%7Eapp/%61", "file:///my~app/a"},
      {"/100%", "file:///100%25"},
      {"/what?#", "file:///what%3F%23"},
      {"file:///caf\xC3\xA9", "file:///caf%C3%A9"},
      {"file:///caf%c3%a9", "file:///caf%C3%A9"},
      {"file:///Home/Me", "file:///Home/Me"},
      {"file://Server/Share/", "file://server/Share"},
      {"HTTPS://Me@Example.COM:8443/A/../b/?q#f", "https://Me@example.com:8443/b"},
      {"https://example.com", "https://example.com/"},
      {"https://localhost/x", "https://localhost/x"},
      {"vscode-remote://ssh-remote%2Bbox/home/me/", "vscode-remote://ssh-remote+box/home/me"},
      {"git:/a%2Fb/c", "git:/a%2Fb/c"},
      {"URN:a:b", "urn:a:b"},
      {"urn:a//b/", "urn:a//b/"},
      {"https://[::1]/x", "https://[::1]/x"},
  };
  for (const auto& [text, expected] : vectors) EXPECT_EQ(canonical(text), expected) << text;
}

TEST(CanonicalRoot, DifferentPlacesStayDifferent) {
  EXPECT_NE(canonical("/home/me/app"), canonical("/srv/app"));
  EXPECT_NE(canonical("/home/me/app"), canonical("/home/me/App"));
  EXPECT_NE(canonical("/a%20b"), canonical("file:///a%20b"));
  EXPECT_NE(canonical("git:/a%2Fb"), canonical("git:/a/b"));
}

TEST(CanonicalRoot, RefusesWhatIsNoRoot) {
  for (const char* text :
       {"",       "relative", "./x",          "../x",       "~",           "~/x",           "c:x",           "file:x", "://x",
        "1a://x", "a b://x",  "file:///%",    "file:///%4", "file:///%zz", "file:///a%00b", "file:///a%0Ab", "/a\nb",  "/a\x7F",
        "urn:",   "https://", "https://a%zz/"}) {
    const auto root = canonical_root(text);
    ASSERT_FALSE(root) << text << " -> " << *root;
    EXPECT_EQ(root.error().kind, ErrorKind::invalid);
    EXPECT_FALSE(root.error().hint.empty());
  }
  EXPECT_FALSE(canonical_root(std::string_view("/a\0b", 4)));
}

TEST(RootDisplayName, IsTheDecodedLastSegment) {
  EXPECT_EQ(root_display_name("file:///home/my%20app"), "my app");
  EXPECT_EQ(root_display_name("file:///"), "/");
  EXPECT_EQ(root_display_name("file:///c:/"), "c:");
  EXPECT_EQ(root_display_name("https://example.com/"), "example.com");
  EXPECT_EQ(root_display_name("https://example.com/a/b"), "b");
  EXPECT_EQ(root_display_name("urn:a:b"), "a:b");
  EXPECT_EQ(root_display_name("file:///%FF"), "\xEF\xBF\xBD");
}

TEST(FileUri, GivesTheLocalPath) {
  EXPECT_EQ(path_of_file_uri("file:///a%20b/../c"), "/a b/../c");
  EXPECT_EQ(path_of_file_uri("file://localhost/a"), "/a");
  EXPECT_EQ(path_of_file_uri("file:/a"), "/a");
  EXPECT_EQ(path_of_file_uri("file://"), "/");
  for (const char* text : {"file://other/a", "https://x/a", "/a", "file:a", "file:///%00", "file:///%g0", ""}) {
    const auto path = path_of_file_uri(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().kind, ErrorKind::invalid);
  }
}

TEST(Percent, EncodesAllButUnreserved) {
  EXPECT_EQ(percent_encode("aZ9-._~ /%\xC3\xA9"), "aZ9-._~%20%2F%25%C3%A9");
  EXPECT_EQ(percent_decode("%41%c3%A9+"), "A\xC3\xA9+");
  EXPECT_FALSE(percent_decode("%4"));
  EXPECT_FALSE(percent_decode("%"));
  EXPECT_EQ(percent_decode("%41"), "A");
}

// Texts made of what the rules look at.
rc::Gen<std::string> any_root_text() {
  const auto piece = rc::gen::element<std::string>("file:", "FILE:", "https:", "urn:", "C:", "c%3A", "/", "//", "///", "\\", ".",
                                                   "..", "%2e", "%2F", "localhost", "Host", "@", ":", "[", "]", "a", "B", " ",
                                                   "%20", "%25", "%", "?", "#", "\xC3\xA9", "%FF", "~", "|");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const std::vector<std::string>& pieces) {
    std::string text;
    for (const std::string& each : pieces) text += each;
    return text;
  });
}

RC_GTEST_PROP(UriProperty, CanonicalFormIsItsOwnCanonicalForm, ()) {
  const auto start = *rc::gen::element<std::string>("", "/", "file://", "file:///", "https://", "x-y:", "C:\\");
  const auto root = canonical_root(start + *any_root_text());
  RC_PRE(root.has_value());
  RC_ASSERT(canonical_root(*root).value() == *root);
}

RC_GTEST_PROP(UriProperty, PathsSurviveTheWayThroughAUri, (std::string text)) {
  std::erase(text, '\0');
  const std::string path = "/" + text;
  RC_ASSERT(path_of_file_uri(file_uri_of_path(path)).value() == path);
}

RC_GTEST_PROP(UriProperty, PercentEncodingIsReversible, (const std::string& text)) {
  RC_ASSERT(percent_decode(percent_encode(text)).value() == text);
}

}  // namespace
}  // namespace holdfast
