"""Prints the examples in the docstrings of Python's standard library, as programs: JSON of names and code."""
import doctest
import importlib
import json
import sys

PROGRAM = """\
import {module} as module
names = dict(vars(module), __name__='__main__')
for source in {sources!r}:
    try:
        exec(compile(source, 'example', 'single'), names)
    except Exception as error:
        print(type(error).__name__, error)
"""


def programs(name):
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, module=False):
        if test.examples:
            sources = [example.source for example in test.examples]
            yield test.name, PROGRAM.format(module=name, sources=sources)


json.dump({name: code for module in sys.argv[1:] for name, code in programs(module)}, sys.stdout)
