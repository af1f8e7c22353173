from pkg.a import x
