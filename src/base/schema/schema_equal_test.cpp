#include "base/schema/schema_equal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace holdfast::schema {
namespace {

TEST(SchemaNumber, IntegersByValue) {
  EXPECT_TRUE(is_integer(Json(1)));
  EXPECT_TRUE(is_integer(Json(1.0)));
  EXPECT_TRUE(is_integer(Json(1e300)));
  EXPECT_FALSE(is_integer(Json(1.5)));
  EXPECT_FALSE(is_integer(Json(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(is_integer(Json("1")));
}

TEST(SchemaNumber, ComparisonDoesNotRound) {
  const Json large(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(compare_numbers(large, Json(18446744073709551616.0)), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(Json(std::numeric_limits<std::int64_t>::min()), Json(-9223372036854775808.0)),
            std::partial_ordering::equivalent);
  EXPECT_EQ(compare_numbers(Json(-1), large), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(Json(0.5), Json(0)), std::partial_ordering::greater);
  EXPECT_EQ(compare_numbers(Json(-0.5), Json(0)), std::partial_ordering::less);
  EXPECT_EQ(compare_numbers(Json(-0.5), Json(-1)), std::partial_ordering::greater);
}

RC_GTEST_PROP(SchemaNumber, ComparisonIsThatOfTheIntegers, (std::int64_t a, std::int64_t b)) {
  RC_ASSERT((compare_numbers(Json(a), Json(b)) < 0) == (a < b));
  RC_ASSERT((compare_numbers(Json(a), Json(b)) == 0) == (a == b));
}

RC_GTEST_PROP(SchemaNumber, IntegersMeetTheirDoubles, (std::int32_t n)) {
  const Json integer(std::int64_t{n});
  const Json real(static_cast<double>(n));
  RC_ASSERT(equal(integer, real));
  RC_ASSERT(hash_of(integer) == hash_of(real));
}

// k hundredths are a multiple of one hundredth, and so are none with a further digit.
RC_GTEST_PROP(SchemaNumber, DecimalMultiples, (std::int32_t k)) {
  RC_ASSERT(is_multiple_of(Json(k / 100.0), Json(0.01)));
  if (k % 10 != 0) RC_ASSERT(!is_multiple_of(Json(k / 1000.0), Json(0.01)));
}

RC_GTEST_PROP(SchemaNumber, IntegerMultiples, (std::int64_t a, std::uint32_t b)) {
  RC_PRE(b > 0);
  RC_ASSERT(is_multiple_of(Json(a), Json(std::int64_t{b})) == (a % std::int64_t{b} == 0));
}

TEST(SchemaEqual, IgnoresOrderOfMembersOnly) {
  const Json a = boost::json::parse(R"({"x":[1,{"y":2}],"z":null})");
  const Json b = boost::json::parse(R"({"z":null,"x":[1.0,{"y":2}]})");
  const Json c = boost::json::parse(R"({"z":null,"x":[{"y":2},1]})");
  EXPECT_TRUE(equal(a, b));
  EXPECT_EQ(hash_of(a), hash_of(b));
  EXPECT_FALSE(equal(a, c));
  EXPECT_FALSE(equal(Json(false), Json(0)));
  EXPECT_FALSE(equal(Json(nullptr), Json(0)));
  EXPECT_FALSE(equal(Json("1"), Json(1)));
}

TEST(SchemaEqual, WeightStopsAtTheLimit) {
  EXPECT_EQ(weight_of(boost::json::parse("[1,[2,3]]"), 100), 5U);
  EXPECT_LE(weight_of(Json(JsonArray(10'000)), 10), 12U);
}

}  // namespace
}  // namespace holdfast::schema
