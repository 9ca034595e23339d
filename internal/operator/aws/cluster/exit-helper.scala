sys.exit(0)
