"""Random numbers with a fixed seed (SplitMix64), the same in every version of Python."""


class Draws:
    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def draw(self):
        return self.bits() >> 11

    def below(self, bound):
        return self.bits() % bound

    def one_of(self, things):
        return things[self.below(len(things))]
