#include "kinds/transcripts/remote/remote.h"

#include <gtest/gtest.h>

#include <map>

namespace holdfast::transcripts {
namespace {

std::function<std::optional<std::string>(const std::string&)> environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(S3Address, BucketAndKeyAreTakenApart) {
  const auto place = parse_s3("s3://my-bucket/folder/a b.json.zst");
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(place->bucket, "my-bucket");
  EXPECT_EQ(place->key, "folder/a b.json.zst");
}

TEST(S3Address, WhatCannotBeIsRefused) {
  for (const std::string& address :
       {std::string(""), std::string("s3://"), std::string("s3://bucket"), std::string("s3://bucket/"),
        std::string("s3://bucket/folder/"), std::string("s3:///key"), std::string("s3://ab/key"), std::string("s3://buc ket/key"),
        std::string("s3://-bucket/key"), std::string("s3://buc..ket/key"), std::string("s3://bucket@host/key"),
        std::string("s3://bucket:80/key"), std::string("http://bucket/key"), std::string("s3://bucket/a\nb"),
        std::string("s3://bucket/\xff"), "s3://bucket/" + std::string(1025, 'k'), "s3://" + std::string(64, 'b') + "/key"})
    EXPECT_EQ(parse_s3(address).error().kind, ErrorKind::invalid) << address;
}

TEST(S3Address, TheEnvironmentDecides) {
  const auto given = s3_options(environment({{"AWS_ACCESS_KEY_ID", "id"},
                                             {"AWS_SECRET_ACCESS_KEY", "secret"},
                                             {"AWS_SESSION_TOKEN", "token"},
                                             {"AWS_DEFAULT_REGION", "eu-west-1"},
                                             {"AWS_ENDPOINT_URL", "http://127.0.0.1:9000/"}}));
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->session_token, "token");
  EXPECT_EQ(given->region, "eu-west-1");
  EXPECT_EQ(given->endpoint, "http://127.0.0.1:9000");

  const auto more = s3_options(environment({{"AWS_ACCESS_KEY_ID", "id"},
                                            {"AWS_SECRET_ACCESS_KEY", "secret"},
                                            {"AWS_REGION", "us-west-2"},
                                            {"AWS_DEFAULT_REGION", "eu-west-1"},
                                            {"AWS_ENDPOINT_URL_S3", "https://s3.example"},
                                            {"AWS_ENDPOINT_URL", "https://all.example"}}));
  EXPECT_EQ(more.value().region, "us-west-2");
  EXPECT_EQ(more.value().endpoint, "https://s3.example");
  EXPECT_EQ(s3_options(environment({{"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "s"}})).value().region, "us-east-1");
}

TEST(S3Address, MissingKeysAndOddSettingsAreNamed) {
  EXPECT_EQ(s3_options(environment({})).error().kind, ErrorKind::unauthorised);
  EXPECT_EQ(s3_options(environment({{"AWS_ACCESS_KEY_ID", "id"}})).error().kind, ErrorKind::unauthorised);
  for (const char* region : {"a:b", "a/b", "a.evil.example", "a b"})
    EXPECT_EQ(s3_options(environment({{"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_REGION", region}}))
                  .error()
                  .kind,
              ErrorKind::invalid)
        << region;
  EXPECT_EQ(
      s3_options(environment({{"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_ENDPOINT_URL", "file:///x"}}))
          .error()
          .kind,
      ErrorKind::invalid);
}

TEST(S3Address, UrlsFollowTheEndpointAndTheBucket) {
  S3Options options;
  EXPECT_EQ(s3_url(options, {"bucket", "a/b"}), "https://bucket.s3.us-east-1.amazonaws.com/a/b");
  EXPECT_EQ(s3_url(options, {"my.bucket", "a"}), "https://s3.us-east-1.amazonaws.com/my.bucket/a");
  options.region = "cn-north-1";
  EXPECT_EQ(s3_url(options, {"bucket", "a"}), "https://bucket.s3.cn-north-1.amazonaws.com.cn/a");
  options.endpoint = "http://127.0.0.1:9000";
  EXPECT_EQ(s3_url(options, {"bucket", "a b/+é?#//%.."}), "http://127.0.0.1:9000/bucket/a%20b/%2B%C3%A9%3F%23//%25..");
}

}  // namespace
}  // namespace holdfast::transcripts
