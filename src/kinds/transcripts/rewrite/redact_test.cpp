#include "kinds/transcripts/rewrite/redact.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/files/test_data.h"
#include "base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <random>

namespace holdfast::transcripts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

struct Known {
  std::string shape, secret, before, after;
};

// Made up, in the shape of real ones. Put together from parts, so that no scanner takes this file for a leak.
std::vector<Known> known_secrets() {
  const std::string base64_line = repeated("MIIEvQ", 10) + "abcd\n";
  const std::string block =
      "-----BEGIN RSA PRIVATE "
      "KEY-----\n" +
      repeated(base64_line, 8) +
      "-----END RSA PRIVATE "
      "KEY-----";
  const std::string jwt = "eyJ" + repeated("hbGci", 6) + ".eyJ" + repeated("zdWIi", 8) + "." + repeated("SflKx", 8);
  return {
      {"anthropic-key",
       "sk-"
       "ant-api03-" +
           repeated("aB3_-x", 16),
       "ANTHROPIC_API_KEY=", "\n"},
      {"openai-key",
       "sk-"
       "proj-" +
           repeated("Zz9_", 20),
       "\"", "\""},
      {"openai-key", "sk-" + repeated("a1B2", 12), "key: ", " "},
      {"stripe-key",
       "sk_"
       "live_" +
           repeated("4eC3", 6),
       "", ""},
      {"stripe-webhook-secret",
       "whsec"
       "_" +
           repeated("abcd", 8),
       "", ","},
      {"github-token",
       "ghp"
       "_" +
           repeated("Ab1", 12),
       "https://x:y ", ""},
      {"github-token",
       "github"
       "_pat_" +
           repeated("11ABCDEFG0_", 7),
       "token ", "."},
      {"gitlab-token",
       "glp"
       "at-" +
           repeated("xY9-", 5),
       "PRIVATE-TOKEN: ", "\n"},
      {"aws-key-id",
       "AK"
       "IAIOSFODNN7EXAMPLE",
       "id=", "&"},
      {"aws-secret", repeated("wJalrXUtnF/+", 3) + "KEYz", "AWS_SECRET_ACCESS_KEY=", "\n"},
      {"aws-secret", repeated("wJalrXUtnF/+", 3) + "KEYz", R"(\"secretAccessKey\": \")", R"(\")"},
      {"google-key",
       "AI"
       "za" +
           repeated("SyA-_", 7),
       "key=", "&x"},
      {"slack-token",
       "xo"
       "xb-123456789012-" +
           repeated("aZ3d", 6),
       "", ""},
      {"slack-webhook", "T00000000/B00000000/" + repeated("X", 24),
       "https://hooks."
       "slack.com/services/",
       " "},
      {"npm-token",
       "np"
       "m_" +
           repeated("aB3d5F", 6),
       "//registry/:_authToken=", "\n"},
      {"pypi-token",
       "pypi-"
       "AgEIcHlwaS5vcmc" +
           repeated("Cd_-", 20),
       "", ""},
      {"huggingface-token",
       "h"
       "f_" +
           repeated("QwErT", 7),
       "", "'"},
      {"jwt", jwt, "Cookie: a=", ";"},
      {"private-key", block, "cat id_rsa\n", "\ndone"},
      {"telegram-token", "AA" + repeated("Hdq-cvCH1v_", 3), "https://api.telegram.org/bot110201543:", "/getMe"},
      {"telegram-token", "AA" + repeated("Hdq-cvCH1v_", 3), "TOKEN=5012345678:", "\n"},
      {"authorization", repeated("c2VjcmV0", 4), "curl -H 'Authorization: Bearer ", "'"},
      {"authorization", repeated("c2VjcmV0", 4) + "==", R"({\"authorization\": \"Basic )", R"(\"})"},
      {"url-password", "hunter2!", "postgres://admin:", "@db.example.org/x"},
      {"url-password", "s3cr$t", "redis://:", "@localhost"},
  };
}

TEST(Redact, Safety_9_MasksEveryKnownShapeAndNothingAroundIt) {
  for (const Known& known : known_secrets()) {
    const std::string text = "some text " + known.before + known.secret + known.after + " more";
    std::uint64_t count = 0;
    EXPECT_EQ(redact(text, &count), "some text " + known.before + "[redacted:" + known.shape + "]" + known.after + " more");
    EXPECT_EQ(count, 1U) << known.shape;
  }
}

TEST(Redact, Safety_9_FindsAllInOneText) {
  std::string text;
  for (const Known& known : known_secrets()) text += known.before + known.secret + known.after + "\n";
  const std::string masked = redact(text);
  for (const Known& known : known_secrets()) EXPECT_THAT(masked, Not(HasSubstr(known.secret))) << known.shape;
  EXPECT_EQ(find_secrets(text).size(), known_secrets().size());
}

TEST(Redact, FindsAKeyBehindAnEscapeOfATextInAText) {
  EXPECT_EQ(redact(R"(a\nghp)"
                   "_" +
                   repeated("Ab1", 12)),
            R"(a\n[redacted:github-token])");
}

TEST(Redact, FindsABlockWithEscapedLineBreaksAndOneCutOff) {
  const std::string line = repeated("MIIEvQ", 10) + "abcd";
  const std::string begin =
      "-----BEGIN PRIVATE "
      "KEY-----";
  EXPECT_EQ(redact(begin + "\\n" + line + "\\n" + line +
                   "\\n-----END PRIVATE "
                   "KEY-----\\n"),
            "[redacted:private-key]\\n");
  EXPECT_THAT(redact(begin + "\n" + line + "\n" + line.substr(0, 20)), "[redacted:private-key]");
}

// As it stands in the answers of tools: without an end, cut short, with line numbers, quotation marks, bars.
TEST(Redact, P31FindsAPrivateKeyHoweverItIsShown) {
  const std::string begin =
      "-----BEGIN OPENSSH PRIVATE "
      "KEY-----";
  const std::string line = repeated("b3BlbnNz", 8) + "aC1r";
  const std::vector<std::string> fronts = {"", "     12\u2192", "12\t", "12:", "12|", "+", "> ", "| "};
  for (const std::string& newline : std::vector<std::string>{"\n", "\r\n", "\\n", "\\\\n"}) {
    for (const std::string& front : fronts) {
      std::string text = front + begin;
      for (int i = 0; i < 4; ++i) text += newline + front + line;
      const std::string masked = redact("see " + text + "\"");
      EXPECT_THAT(masked, Not(HasSubstr("b3BlbnNz"))) << text;
      EXPECT_TRUE(masked.ends_with("\"")) << masked;
    }
    EXPECT_THAT(redact(begin + newline + line.substr(0, 17)), Not(HasSubstr("b3Blb"))) << newline;
  }
  for (const std::string& text :
       {begin + "\n...\n", begin + "\nyour key goes here\n", "\"" + begin + "\" in the_text_of_the_file"})
    EXPECT_EQ(redact(text), text);
}

TEST(Redact, LeavesWhatOnlyLooksLikeIt) {
  for (const std::string& text : {
           std::string("d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709"),
           to_hex(sha256("x")),
           make_uuid4(),
           make_uuid7(),
           std::string("toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL req_011CSHoEeqs5C35K2UUqR7Fy"),
           std::string("git commit -m 'use task-management-of-the-risk-assessment-board-and-more-words'"),
           std::string("https://example.org:8080/path@1.2 http://user@host/ ftp://$USER:$PASS@host http://a:{password}@b"),
           std::string("if (text.starts_with(\"-----BEGIN PRIVATE "
                       "KEY-----\")) return parse_the_key_and_complain_about_it(text);"),
           std::string("Authorization: Bearer <token>"),
           std::string("the secret key = of success"),
           std::string("disk_usage_of_everything_that_is_there_at_all sk_buff_head_init_class_of_the_kernel_list"),
           std::string("eyJhbGciOiJIUzI1NiJ9 alone is a header"),
           std::string("sha:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawAAHdqTcvCH1vGWJxfSeofSAs0K5PAL"),
       })
    EXPECT_EQ(redact(text), text);
}

TEST(Redact, LeavesImagesAlone) {
  std::mt19937_64 random(7);
  std::string bytes(3 << 20, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  EXPECT_TRUE(find_secrets(to_base64(bytes)).empty());
  EXPECT_TRUE(find_secrets(to_base64url(bytes)).empty());
  EXPECT_TRUE(find_secrets(bytes).empty());
}

TEST(Redact, LeavesTheFixtureTranscriptsAlone) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data("claude-home-basic/.claude"))) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_file(entry.path().string()).value();
    EXPECT_EQ(redact(text), text) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10U);
}

// Every beginning again and again, none of them finished: each byte may be looked at a few times, not once per candidate.
TEST(Redact, TakesLinearTimeOnUnfinishedSecrets) {
  for (const std::string& part :
       {std::string("eyJ-"), std::string("eyJaaaaaaaaaa.eyJ"), std::string("://a:b"), std::string("sk-"),
        std::string("-----BEGIN PRIVATE "
                    "KEY-----"),
        std::string("authorization: bearer "), std::string("secret_key=\n"), std::string(":AAAA")})
    EXPECT_NO_FATAL_FAILURE(static_cast<void>(find_secrets(repeated(part, (4 << 20) / part.size())))) << part;
}

RC_GTEST_PROP(RedactProperty, SecretsAreInOrderAndNeverOverlap, (std::vector<std::uint8_t> choices)) {
  const std::vector<Known> known = known_secrets();
  std::string text;
  for (const std::uint8_t choice : choices) {
    const Known& one = known[choice % known.size()];
    text += choice % 3 == 0 ? one.before : choice % 3 == 1 ? one.secret : one.secret.substr(0, one.secret.size() / 2);
    if (choice % 2 == 0) text += ' ';
  }
  std::size_t end = 0;
  for (const Secret& secret : find_secrets(text)) {
    RC_ASSERT(secret.from >= end);
    RC_ASSERT(secret.to > secret.from);
    RC_ASSERT(secret.to <= text.size());
    end = secret.to;
  }
}

}  // namespace
}  // namespace holdfast::transcripts
