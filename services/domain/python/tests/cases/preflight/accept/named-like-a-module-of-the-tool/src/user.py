import argparse

assert argparse.OWN
