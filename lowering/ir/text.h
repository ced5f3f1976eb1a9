/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.h - the words of textual IR, which print.c writes and parse.c reads.  */
#ifndef WSC_TEXT_H
#define WSC_TEXT_H

#include "ir/kernel.h"

extern const char *const text_kinds[];        /* by Kind */
extern const char *const text_tags[];         /* by Tag */
extern const char *const text_schedules[];    /* by ScheduleKind */
extern const char *const text_orders[];       /* by TileOrder */
extern const char *const text_splits[];       /* by Split */
extern const char *const text_precisions[];   /* by Precision */
extern const char *const text_uses[];         /* by StorageUse */
extern const char *const text_layouts[];      /* by Layout */
extern const char *const text_alongs[];       /* by ALONG_... */
extern const char *const text_versions[];     /* by the place of the bit VERSION_... */
extern const char *const text_capabilities[]; /* by ROLE_..., bit by bit */
enum {
    TEXT_KINDS = 7,
    TEXT_TAGS = 4,
    TEXT_SCHEDULES = 4,
    TEXT_ORDERS = 4,
    TEXT_SPLITS = 3,
    TEXT_PRECISIONS = 4,
    TEXT_USES = 8,
    TEXT_LAYOUTS = LAYOUT_COUNT,
    TEXT_ALONGS = 5,
    TEXT_VERSIONS = 2,
    TEXT_CAPABILITIES = 3
};

/* True for characters of a name: letters, digits, '_', '.', '$' and bytes beyond ASCII.  */
bool text_is_word(char c);

#endif
