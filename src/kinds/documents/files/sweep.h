#pragma once

// What nobody needs any more, removed at start. Only recover_library calls these. Failing to remove something is logged at most:
// the next start tries again.

#include "kinds/documents/files/library.h"

namespace holdfast::documents {

// Temporary files that the journal does not know: a power cut may keep a file whose line in the journal it loses. So once a boot
// of the machine every folder of the library is looked through; what an operation still needs stays.
void sweep_temporaries(Library& library);

// Files of locks that nobody holds, when there are many.
void sweep_locks(Library& library);

}  // namespace holdfast::documents
