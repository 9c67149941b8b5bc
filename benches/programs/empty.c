/* Nothing: what is left of a run of this is the start of the engine. */
int main(void)
{
    return ROUNDS;
}
