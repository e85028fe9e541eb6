#pragma once

// Where an object of S3 is, as the address and the signature want it. No network here.

#include "base/result.h"
#include "kinds/transcripts/remote/remote.h"

#include <string>

namespace holdfast::transcripts {

// Path style with an endpoint; on AWS the bucket is part of the host's name, unless it has dots, which the certificate of AWS
// does not cover. The key is percent-encoded as the signature wants it: everything but unreserved characters and slashes.
std::string s3_url(const S3Options& options, const S3Place& place);

}  // namespace holdfast::transcripts
