import digdag


class MyClass(object):
    """The tasks of the workflow. digdag.env.store() keeps values for later tasks."""

    def setup(self, session_time):
        print("python: session %s begins" % session_time)
        digdag.env.store({"greeting": "hello"})

    def repeat(self, order, animal, greeting):
        print("python: %s, %s %s" % (greeting, order, animal))

    def teardown(self, session_time):
        print("python: session %s is done" % session_time)
