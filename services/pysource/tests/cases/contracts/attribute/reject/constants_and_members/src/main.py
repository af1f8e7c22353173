import kinds
from kinds import Child, Color, Config, Mode

print(Color.RED, Color.GREEN)
print(Mode.SLOW.value, Config.LR, Config.EPOCHS)
print(Child.LR, Child.WIDTH, kinds.Config.SEED, Config.Paths.DATA, Config.Paths.CACHE)


def use(color=Color.BLUE):
    return color is Color.RED
