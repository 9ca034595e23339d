"""Calls a Python function or method for a py> task.

Usage: runner.py COMMAND INPUT OUTPUT

COMMAND is a dotted name: [package.]module.[Class.]name. INPUT is a JSON file {"params": {...}}; the
arguments of the callable are taken from there by name. What the callable leaves in digdag.env is
written to OUTPUT as {"subtask_config": {}, "export_params": {}, "store_params": {}}, and an
exception as "error": {"class", "message", "backtrace"} beside them; the exit status is then 1.

The program runs on Python 2.7 and 3. The rules are in docs/spec/operators.md, section 3.3.
"""
import collections
import inspect
import json
import os
import sys
import traceback
import types


class Env(object):
    """What a callable sees as digdag.env."""

    def __init__(self, params):
        self.params = params
        self.subtask_config = collections.OrderedDict()
        self.export_params = {}
        self.store_params = {}
        self.state_params = {}
        self.subtask_index = 0

    def store(self, params={}, **kwds):
        _update(self.store_params, params, kwds)

    def export(self, params={}, **kwds):
        _update(self.export_params, params, kwds)

    def set_state(self, params={}, **kwds):
        _update(self.state_params, params, kwds)

    def add_subtask(self, function=None, **params):
        """Adds a task: a function or method to call, a mapping, or keywords alone."""
        if function is None:
            config = params
        elif isinstance(function, dict):
            config = dict(function, **params)
        else:
            config = params
            config["py>"] = _full_name(function)
        try:
            json.dumps(config)
        except Exception as e:
            raise TypeError("Parameters must be serializable using JSON: %s" % e)
        self.subtask_config["+subtask%d" % self.subtask_index] = config
        self.subtask_index += 1

    def result(self):
        return {
            "subtask_config": self.subtask_config,
            "export_params": self.export_params,
            "store_params": self.store_params,
        }


def _update(target, *sources):
    for source in sources:
        target.update(source)


def _full_name(function):
    owner = getattr(function, "im_class", None)  # a method of Python 2
    if owner is not None:
        return ".".join([owner.__module__, owner.__name__, function.__name__])
    name = getattr(function, "__qualname__", None) or function.__name__
    return function.__module__ + "." + name


def install(env):
    """Makes the modules digdag and digdag_env importable."""
    digdag = types.ModuleType("digdag")
    digdag.env = env
    digdag_env = types.ModuleType("digdag_env")
    for name in ("params", "subtask_config", "export_params", "store_params", "state_params"):
        setattr(digdag_env, name, getattr(env, name))
    sys.modules["digdag"] = digdag
    sys.modules["digdag_env"] = digdag_env


def find(command):
    """Returns what a dotted name stands for: a class and the name of its method, or a callable and
    None."""
    path, _, name = command.rpartition(".")
    try:
        module = load(path, name)
    except ImportError as e:
        if not _is_missing(e, path):
            raise  # the module is there, but not what it imports
        outer, _, class_name = path.rpartition(".")
        module = load(outer, class_name)
        return attribute(module, outer, class_name, name), name
    found = attribute(module, path, name, name)
    if inspect.isclass(found):
        return found, "run"
    return found, None


def load(path, name):
    # Both versions of Python know fromlist; with it the innermost module is returned.
    return __import__(path, fromlist=[str(name)])


def attribute(module, path, name, shown):
    try:
        return getattr(module, name)
    except AttributeError:
        raise AttributeError("Module '%s' has no attribute '%s'" % (path, shown))


def _is_missing(error, path):
    """Tells whether an ImportError means that the module itself, or a package on the way to it, does
    not exist. Python 2 does not say which one it was."""
    name = getattr(error, "name", None)
    return name is None or (path + ".").startswith(name + ".")


def bind(function, bound, params):
    """Returns the arguments for a callable by name; bound tells that the first one is given already."""
    if function is None or function == object.__init__:  # the latter says that it takes anything, and refuses it
        return {}
    if hasattr(inspect, "getfullargspec"):
        spec = inspect.getfullargspec(function)
        takes_all = spec.varkw
    else:
        spec = inspect.getargspec(function)
        takes_all = spec.keywords
    names = spec.args[1:] if bound else spec.args
    required = len(names) - len(spec.defaults or ())
    arguments = {}
    for i, name in enumerate(names):
        if name in params:
            arguments[name] = params[name]
        elif i < required:
            raise TypeError("Method '%s' requires parameter '%s' but not set" % (_shown_name(function), name))
    return params if takes_all else arguments


def _shown_name(function):
    owner = getattr(function, "im_class", None)
    if owner is not None:
        return owner.__name__ + "." + function.__name__
    return getattr(function, "__qualname__", None) or function.__name__


def call(command, params):
    found, method_name = find(command)
    if method_name is None:
        found(**bind(found, False, params))
        return
    instance = found(**bind(getattr(found, "__init__", None), True, params))
    method = getattr(instance, method_name)
    method(**bind(method, True, params))


def describe(message):
    """Describes the exception that is being handled."""
    error_type, error, trace = sys.exc_info()
    return {
        "class": error_type.__name__,
        "message": message,
        "backtrace": traceback.format_exception(error_type, error, trace),
    }


# A script that calls sys.exit is mostly one that was not meant to be called: say so.
EXIT_MESSAGE = (
    "Failed to call python command with code:%d "
    "Possible cause: Invalid python module call, duplicate module name with standard library"
)


def main(command, in_file, out_file):
    with open(in_file, "rb") as f:
        params = json.loads(f.read().decode("utf-8"))["params"]
    env = Env(params)
    install(env)
    sys.path.append(os.path.abspath(os.getcwd()))
    error = None
    try:
        call(command, params)
        text = json.dumps(env.result())
    except SystemExit as e:
        if not isinstance(e.code, int):
            traceback.print_exc()
            sys.exit(1)
        error = describe(EXIT_MESSAGE % e.code)
    except Exception as e:
        error = describe(str(e))
    if error is not None:
        text = json.dumps({"error": error})
    with open(out_file, "w") as f:
        f.write(text)
    if error is not None:
        sys.stdout.flush()
        sys.stderr.write("".join(error["backtrace"]))
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:4])
