from a import A
