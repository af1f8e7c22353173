from base import Base


class Model(Base):
    """Fits as its base does."""
