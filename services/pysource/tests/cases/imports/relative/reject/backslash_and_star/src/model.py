from \
    .config \
    import *
