from m import settings
