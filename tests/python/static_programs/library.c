/* Routines of the compiler's libraries, all linked. */
#define ROUTINES                                                                                                       \
    X(__aeabi_uidivmod) X(__aeabi_idivmod) X(__aeabi_uldivmod) X(__aeabi_ldivmod)                                      \
    X(__aeabi_fadd) X(__aeabi_fsub) X(__aeabi_fmul) X(__aeabi_fdiv) X(__aeabi_fcmplt) X(__aeabi_f2d)                   \
    X(__aeabi_dadd) X(__aeabi_dsub) X(__aeabi_dmul) X(__aeabi_ddiv) X(__aeabi_dcmplt) X(__aeabi_d2f)                   \
    X(__aeabi_d2iz) X(__aeabi_d2uiz) X(__aeabi_d2lz) X(__aeabi_d2ulz) X(__aeabi_f2lz) X(__aeabi_l2d) X(__aeabi_ul2f)   \
    X(memcpy) X(memmove) X(memset) X(memcmp) X(strlen) X(strcpy) X(strcmp) X(strcat) X(strncmp)                          \
    X(strncpy) X(strchr) X(strrchr) X(memchr) X(strnlen) X(strncat)
#define X(name) extern void name(void);
ROUTINES
#undef X
#define X(name) name,
void (*const routines[])(void) = {ROUTINES};
