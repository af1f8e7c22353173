from m import Model, a, b, c, d, e, f, g, h, make

a(1, y=2)
b()
c(1, debug=True)
d(1, 2, 3)
e()
f(2)
g(1, 2)
h(1, 2)
Model().fit(1, 2).anything(3)
Model().whatever(1)
make().fit().predict()
