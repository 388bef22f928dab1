#ifndef CLAWRDEN_DIGITS_H
#define CLAWRDEN_DIGITS_H

/* A number as text, without printf, which would double a program's size. */
struct digits {
    char bytes[24];
};

static inline const char *digits_of(struct digits *digits, unsigned long number)
{
    char *at = digits->bytes + sizeof digits->bytes - 1;
    *at = 0;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return at;
}

#endif
