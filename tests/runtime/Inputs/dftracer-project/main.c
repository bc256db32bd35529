int stage(int files);

int main(void)
{
    return stage(3) != 3;
}
