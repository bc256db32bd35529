// The end of one object is one call of its destructor, although the compiler makes several
// functions of a destructor: for complete objects, for base objects, and for delete.
//
// REQUIRES: c++
// RUN: echo 'src:*delete-is-one-destructor-call.cc' > allow.txt
// RUN: %each-level '%cxx $LEVEL %plugin %allow=../allow.txt %s -o prog %lib \
// RUN:   && DFTRACER_ENABLE=1 ./prog && %check-trace trace-prog-*.pfw.gz --count Simple::~Simple=2 \
// RUN:     --count Base::~Base=2 --count Virtual::~Virtual=2 --count Virtual::Virtual=2'

struct Simple {
    virtual ~Simple()
    {
        alive--;
    }
    static int alive;
};

int Simple::alive = 2;

struct Base {
    int value = 1;
    virtual ~Base()
    {
        value = 0;
    }
};

struct Virtual : virtual Base {
    Virtual()
    {
        value = 2;
    }
    ~Virtual() override
    {
        value = 3;
    }
};

static void release(Simple *simple, Base *base)
{
    delete simple;
    delete base;
}

int main()
{
    Simple on_stack;
    Virtual also_on_stack;
    release(new Simple, new Virtual);
    return Simple::alive - 1;
}
