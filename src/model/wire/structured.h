#pragma once

// Structured answers: the JSON object in what a model wrote (threads-and-research §10).
//
// Models put prose around it, fence it, forget quotes, write numbers as text. So: the whole text, then fenced blocks, then the
// first balanced object are tried; then the model is asked once to repair its answer; then the caller falls back. The getters
// below take what can be understood and nothing else: a missing or odd member is absent, never an error.

#include "base/json/json.h"
#include "model/models.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

// nullopt when there is none. Text up to a closing </think> is skipped: it is the model talking to itself. With `fits`, the first
// object that fits.
std::optional<JsonObject> object_in(std::string_view text, const std::function<bool(const JsonObject&)>& fits = {});

struct StructuredReply {
  std::optional<JsonObject> object;  // absent: neither the answer nor its repair held one
  Reply reply;                       // the first answer
  Tokens tokens;                     // of both
  int asks = 1;                      // answers that were given: 2 after a repair
};

// Asks, and asks once more when no object that `fits` is found. An error only when the first answer failed, or when cancelled.
Result<StructuredReply> ask_object(Models& models, const Ask& ask, const std::function<bool(const JsonObject&)>& fits = {});

// Text, also of numbers and booleans; empty when absent.
std::string text_member(const JsonObject& object, std::string_view key);
// A number, also one written as text ("8", "8/10" is 8, "80 %" is 80).
std::optional<double> number_member(const JsonObject& object, std::string_view key);
// true and false, also as text or as 0 and 1.
std::optional<bool> bool_member(const JsonObject& object, std::string_view key);
// The texts of a list without its empty ones; a single text is a list of one.
std::vector<std::string> texts_member(const JsonObject& object, std::string_view key);
// The objects of a list; a single object is a list of one. They live as long as the object is not changed.
std::vector<const JsonObject*> objects_member(const JsonObject& object, std::string_view key);

}  // namespace holdfast::model
