from m import Color, Computed, Either, Frame, Frameless, Problem, Registered, WithMeta, WithNew

WithMeta(1, 2, 3)
WithNew(1, 2)
Color(1)
Frame(1, 2)
Frameless(1, 2, 3)
Problem("a", "b")
Computed(1)
Registered()
Either(1, 2)
