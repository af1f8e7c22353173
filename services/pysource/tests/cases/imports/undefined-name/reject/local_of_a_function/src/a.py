from m import g
