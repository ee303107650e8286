/* The table of options inside the room: one row says everything about an option. */
#ifndef FUNNEL_CONFIG_OPTIONS_H
#define FUNNEL_CONFIG_OPTIONS_H

#include "funnel/config.h"

enum {
    OPTION_WORD_BYTES = 32,  /* of words in struct config */
    OPTION_WHY_BYTES = 400,  /* what is wrong with a value */
    OPTION_COMMAND_LINE = -1 /* in config.line_of */
};

enum option_type {
    OPTION_LONG,         /* int64_t */
    OPTION_INT,          /* int */
    OPTION_REAL,         /* double */
    OPTION_ENUM,         /* an enum, by its index in `choice` */
    OPTION_SWITCH,       /* bool: off, on */
    OPTION_WORD,         /* char[OPTION_WORD_BYTES] */
    OPTION_PATH,         /* char[CONFIG_TEXT_BYTES] */
    OPTION_PICTURE,      /* the same, of a PNG */
    OPTION_EXPRESSION,   /* the same */
    OPTION_SIDE,         /* struct side_option */
    OPTION_PROCESS_GRID, /* struct process_grid_wish */
    OPTION_BYTES,        /* int64_t, with a suffix K, M or G */
    OPTION_QUANTITY,     /* double, in `unit` */
    OPTION_LIST,         /* struct flag_list */
    OPTION_TILE,         /* struct tile_wish */
};

struct option {
    const char *section, *key;
    enum option_type type;
    size_t offset;              /* in struct config, or in the options of a program */
    const char *standard;       /* default as text; "": may be empty; NULL: must be given */
    double low, high;           /* range of numbers; high may be infinite */
    bool open;                  /* the ends of the range are not in it */
    bool takes_auto;            /* `auto` is 0 in the field */
    bool rectangle_only;        /* means nothing on a line */
    const char *(*choice)(int); /* i-th allowed word, NULL after the last; NULL: any word */
    const char *unit, *help;
};

extern const struct option options[];
extern const int option_count; /* at most CONFIG_OPTIONS_MAX */

/* Index of an option, -1 if there is none. */
int option_find(const char *section, const char *key);

/* True if the table has the section. */
bool option_section_known(const char *section);

/* Finds an option or notes "PLACEsection.key: unknown key; ..." with the nearest name. */
int option_require(const char *place, const char *section, const char *key, struct status *status);

/* Notes "PLACEunknown section [name]" with the nearest one. */
void option_section_unknown(const char *place, const char *section, struct status *status);

/* Reads a value into its field of `values`, a struct config or the options of a program; false with
 * `why` written ("-5 is not in 1..10"). */
bool option_read(const struct option *option, void *values, const char *text,
                 char why[OPTION_WHY_BYTES]);

/* True unless the name of a picture ends as that of another format than PNG, which it would not
 * get; false with `why` written. Names without an ending are allowed: "-", /dev/null. */
bool picture_name_allowed(const char *path, char why[OPTION_WHY_BYTES]);

/* Writes the value of the field as text that option_read reads to the same. Returns `text`. */
const char *option_write(const struct option *option, const void *values,
                         char text[CONFIG_TEXT_BYTES]);

/* Writes what values are allowed: "1..10 or auto". Returns `text`. */
const char *option_values(const struct option *option, char *text, size_t size);

/* True if the option has a meaning for this configuration. */
bool option_applies(const struct option *option, const struct config *config);

/* True if a control character other than a tab is in the text. */
bool text_has_control(const char *text);

#endif
