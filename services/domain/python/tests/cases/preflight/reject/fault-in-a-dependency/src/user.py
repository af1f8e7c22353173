import deep
