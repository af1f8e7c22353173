from pkg import *
