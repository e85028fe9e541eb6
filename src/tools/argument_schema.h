#pragma once

// The JSON Schemas of arguments, as short as a table of them needs: {"path", argument::text("a document or a folder")}.

#include "base/json/json.h"
#include "operations/parameter.h"

namespace holdfast::tools::argument {

// Without a description when there is nothing to say beyond the name.
JsonObject text(std::string_view description = {});
JsonObject flag(std::string_view description = {});
JsonObject integer(std::string_view description = {});
JsonObject number(std::int64_t least, std::int64_t most, std::string_view description);
// The schema of a result that has at least the members of one of these lists (an empty one is none); more may come. Clients hold
// errors against the same schema.
using Members = std::vector<std::string_view>;
JsonObject result_with(const std::vector<Members>& alternatives);

// Of a parameter of an operation.
JsonObject schema_of(const operations::Parameter& parameter);
JsonObject choice(JsonArray words, std::string_view description = {});

}  // namespace holdfast::tools::argument
