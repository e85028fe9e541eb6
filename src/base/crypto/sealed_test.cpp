// What clients carry for us comes back unchanged, or not at all.

#include "base/crypto/sealed.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast {
namespace {

const JsonObject kPayload{{"a", 1}, {"b", "\xC3\xA4"}};

TEST(Sealer, OpensWhatItSealed) {
  Sealer sealer("secret");
  std::string text = sealer.seal("p", kPayload);
  EXPECT_TRUE(text.starts_with("v1."));
  EXPECT_EQ(sealer.open("p", text).value(), kPayload);
  EXPECT_FALSE(sealer.open("q", text)) << "sealed for something else";
  EXPECT_FALSE(Sealer("another").open("p", text));
  EXPECT_EQ(Sealer("secret").open("p", text).value(), kPayload) << "any process with the secret";
}

TEST(Sealer, PurposeAndPayloadCannotBeShifted) {
  Sealer sealer("secret");
  EXPECT_FALSE(sealer.open("cursor", sealer.seal("cursor x", {})));
}

TEST(Sealer, RefusesWhatItNeverGaveOut) {
  Sealer sealer("secret");
  std::string text = sealer.seal("p", kPayload);
  for (const std::string& bad : {std::string(), std::string("v1."), std::string("v1.."), "v2" + text.substr(2), text + "=",
                                 text + ".", text.substr(0, text.size() - 1), std::string(100'000, '.'), "v1." + text})
    EXPECT_FALSE(sealer.open("p", bad)) << bad.substr(0, 80);
}

RC_GTEST_PROP(SealerProperty, AnyChangedByteIsNoticed, ()) {
  Sealer sealer("secret");
  std::string text = sealer.seal("p", kPayload);
  auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  auto byte = *rc::gen::distinctFrom(rc::gen::arbitrary<char>(), text[place]);
  text[place] = byte;
  RC_ASSERT(!sealer.open("p", text).has_value());
}

}  // namespace
}  // namespace holdfast
