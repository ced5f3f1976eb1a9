/* Complex numbers: two variables, two loads, libgcc for products that care for NaN. */
double _Complex scaled(double _Complex z, const float _Complex *p, double x)
{
    __real__ z = x;
    return ~z + *p;
}

float _Complex product(float _Complex a, float _Complex b)
{
    return a * b;
}
