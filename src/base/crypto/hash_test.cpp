#include "base/crypto/hash.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace holdfast {
namespace {

TEST(Hash, Sha256OfKnownTexts) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

RC_GTEST_PROP(Hash, Sha256InPiecesIsThatOfTheWhole, (const std::vector<std::string>& pieces)) {
  Sha256 hash;
  std::string whole;
  for (const std::string& piece : pieces) hash.add(piece), whole += piece;
  RC_ASSERT(hash.digest() == sha256(whole));
  RC_ASSERT(hash.finish() == sha256(whole));
  RC_ASSERT(hash.finish() == sha256(""));  // begins anew
}

// RFC 4231, cases 1, 2 and 6.
TEST(Hash, HmacOfKnownTexts) {
  EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(to_hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

// RFC 4648 §10.
TEST(Base64, KnownTexts) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  EXPECT_EQ(to_base64("\xFB\xFF"), "+/8=");
  EXPECT_EQ(to_base64url("\xFB\xFF"), "-_8");
  EXPECT_EQ(from_base64url("-_8"), "\xFB\xFF");
}

TEST(Base64, IsStrict) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Z===", "=", "====", "Zm=v", "Zm9v\n", "Zm 9v", "-_8=", "Zh==", "Zm9="}) {
    const auto bytes = from_base64(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().kind, ErrorKind::invalid);
  }
  for (const char* text : {"Zg==", "Z", "+/8", "Zm9vZ", "Zh"}) EXPECT_FALSE(from_base64url(text)) << text;
}

RC_GTEST_PROP(Base64Property, DecodesWhatItEncodes, (const std::string& bytes)) {
  RC_ASSERT(from_base64(to_base64(bytes)).value() == bytes);
  RC_ASSERT(from_base64url(to_base64url(bytes)).value() == bytes);
}

TEST(Random, FillsAnyLength) {
  EXPECT_EQ(random_bytes(0), "");
  EXPECT_EQ(random_bytes(1'000'000).size(), 1'000'000U);
  EXPECT_NE(random_bytes(16), random_bytes(16));
}

TEST(ConstantTime, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcd"));
}

}  // namespace
}  // namespace holdfast
