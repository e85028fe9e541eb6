#include "web/assets.h"

// The assembler puts the file's bytes into the program as they are; #embed does not exist in this compiler.
// clang-format off
asm(".section .rodata\n"
    "hf_style_begin:\n"
    ".incbin \"" HOLDFAST_ASSETS "/style.css\"\n"
    "hf_style_end:\n"
    ".byte 0\n"
    ".previous\n");
// clang-format on

extern "C" {
extern const char hf_style_begin[];
extern const char hf_style_end[];
}

namespace holdfast::web {

std::string_view style_sheet() {
  return {hf_style_begin, static_cast<std::size_t>(hf_style_end - hf_style_begin)};
}

}  // namespace holdfast::web
