agent = 12
