/* Bit-fields: in the narrowest aligned integer that holds them; packed ones byte by byte. */
struct fields {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 40;
    _Bool d : 1;
};

struct __attribute__((packed)) tight {
    unsigned char a : 3;
    unsigned short b : 14;
};

int read(const struct fields *p)
{
    return p->b + (p->d ? (int)p->c : 0);
}

void write(struct fields *p, int v)
{
    p->a = v;
}

void across(struct tight *p, int v)
{
    p->b = v;
}
