#include "base/schema/schema_reference.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::schema {
namespace {

TEST(SchemaReference, ResolvesAsRfc3986Section54) {
  constexpr std::string_view kBase = "http://a/b/c/d;p?q";
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
  };
  for (const auto& [reference, expected] : cases) {
    const auto resolved = resolve_reference(kBase, reference);
    ASSERT_TRUE(resolved) << reference;
    EXPECT_EQ(resolved->uri, expected) << reference;
  }
}

TEST(SchemaReference, SplitsTheFragment) {
  const auto resolved = resolve_reference("urn:example:a", "#/%24defs/x%25y");
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->uri, "urn:example:a");
  EXPECT_EQ(resolved->fragment, "/$defs/x%y");
  EXPECT_EQ(resolve_reference("", "a.json#")->uri, "a.json");
  EXPECT_FALSE(resolve_reference("", "#/%2"));
  EXPECT_FALSE(resolve_reference("http://a/", std::string(5000, 'x')));
}

TEST(SchemaReference, FollowsPointers) {
  const Json root = boost::json::parse(R"({"a/b":{"~":[10,20]},"":1})");
  EXPECT_EQ(follow_pointer(root, ""), &root);
  ASSERT_NE(follow_pointer(root, "/a~1b/~0/1"), nullptr);
  EXPECT_EQ(*follow_pointer(root, "/a~1b/~0/1"), 20);
  EXPECT_NE(follow_pointer(root, "/"), nullptr);
  for (const auto* nothing :
       {"a", "/x", "/a~1b/~0/2", "/a~1b/~0/01", "/a~1b/~0/-", "/a~1b/~0/+1", "/a~1b/~2", "/a~1b/~", "//x"}) {
    EXPECT_EQ(follow_pointer(root, nothing), nullptr) << nothing;
  }
  std::string pointer;
  append_pointer_token(pointer, "a/b");
  append_pointer_token(pointer, "~");
  EXPECT_EQ(pointer, "/a~1b/~0");
}

}  // namespace
}  // namespace holdfast::schema
