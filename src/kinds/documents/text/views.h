#pragma once

// The two views of a document (document-review §1): accepted, with every pending change applied, and base, with every one
// refused.
//
// A view is text, plus the pieces of the document that are hidden in it, so that any part can be written back byte for byte.

#include "kinds/documents/text/markup.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

enum class Side { accepted, base };

std::string view_of(std::string_view raw, Side side);
std::string view_of(const std::vector<Atom>& atoms, std::string_view raw, Side side);
// Whether two documents have the same view; copies nothing.
bool same_view(const std::vector<Atom>& atoms, std::string_view raw, const std::vector<Atom>& other_atoms,
               std::string_view other_raw, Side side);

// An atom's place in the accepted view.
struct Placed {
  const Atom* atom = nullptr;
  std::size_t begin = 0, end = 0;  // in the accepted view; equal for a pure deletion
};

// The accepted view with everything needed to change the document through it.
class AcceptedView {
 public:
  explicit AcceptedView(std::string_view raw);

  std::string_view raw() const { return raw_; }
  const std::string& text() const { return text_; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  const std::vector<Placed>& placed() const { return placed_; }  // in order

  // The text between two positions with what is hidden there, as it stands in the document. Hidden pieces at the borders
  // belong to the text before them.
  std::string rich(std::size_t begin, std::size_t end) const;
  void append_rich(std::string& out, std::size_t begin, std::size_t end) const;
  // The same of one atom: its part of the document's text (of a change, its ins).
  std::size_t line_of(std::size_t position) const;  // 1-based
  std::string take_text() && { return std::move(text_); }

 private:
  std::string_view raw_;
  std::vector<Atom> atoms_;
  std::vector<Placed> placed_;
  std::string text_;
  std::vector<Hidden> hidden_;  // by position
};

}  // namespace holdfast::documents
