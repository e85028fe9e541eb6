#pragma once

// The deleter of a unique_ptr to what a library of C gives and takes back by a function: std::unique_ptr<BIO,
// Freeing<BIO_free_all>>.

namespace holdfast {

template <auto Free>
struct Freeing {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace holdfast
