class Config:
    size = 1
