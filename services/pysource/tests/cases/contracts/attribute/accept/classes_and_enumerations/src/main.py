from kinds import Child, Color, Config, Flags, Made, Settings, Size

print(Color.RED.value, Color.BLUE.name, Color["RED"], Color.__members__, Color.first(), Size.BIG.upper(), Size.lower)
print(Flags.A | Flags.B, Made.ONE, Settings.LR, Settings.load().LOADED, Settings.LATE, Settings.__name__)
print(Child.LR, Child.DEPTH, Config.lr, Config.__dataclass_fields__, Child.mro(), Settings.set, Config.name)
if hasattr(Settings, "MAYBE"):
    print(Settings.MAYBE)
