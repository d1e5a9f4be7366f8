# Rich results of a Python program: the value of its last expression and its figures, as a notebook shows them. The
# bootstraps run this file beside the code of a run, and the host trusts the results no more than that code. Each
# function that shows something takes `emit(type, data)`. Nothing here raises an Exception into the program, whatever
# its objects do; what is more than that, such as KeyboardInterrupt and SystemExit, passes.
import builtins
import sys

MAX_RESULTS = 20
MAX_RESULTS_BYTES = 4194304
# A longer text/plain is cut. Other types make sense only whole.
MAX_PLAIN_CHARACTERS = 65536

IMAGES = ("image/png", "image/jpeg")
# The first one that a value has is shown.
METHODS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "application/json": "_repr_json_",
}

ONLY_TREE = 0x0400
# The flags of `from __future__ import …`, which hold for a whole file.
FUTURES = 0x1FE0000

PYPLOT = "matplotlib.pyplot"


def split(code, filename):
    """Compiles a program into its statements and, if it ends with an expression, that expression (or else None)."""
    # The ast module would take longer to load than most programs take to run.
    import _ast

    tree = compile(code, filename, "exec", ONLY_TREE, True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
    statements = compile(tree, filename, "exec", 0, True)
    if last is None:
        return statements, None
    expression = _ast.Expression(last.value)
    return statements, compile(expression, filename, "eval", statements.co_flags & FUTURES, True)


def bounded(emit):
    """Returns an `emit` for one run that keeps to the bounds of a run."""
    left = [MAX_RESULTS, MAX_RESULTS_BYTES]

    def emit_bounded(type, data):
        size = len(data.encode("utf-8", "replace"))
        if size > left[1]:
            data = "[%s of %d bytes left out: the results of a run have at most %d bytes]" % (
                type, size, MAX_RESULTS_BYTES)
            type, size = "text/plain", len(data)
        if left[0] > 0 and size <= left[1]:
            left[0] -= 1
            left[1] -= size
            emit(type, data)

    return emit_bounded


def show(value, emit):
    """Shows the value of an expression in its richest form. None shows nothing."""
    if value is None:
        return
    try:
        if is_figure(value):
            show_figure(value, emit)
            return
        for type, data in forms(value):
            if type in IMAGES:
                data = to_base64(data)
            elif type == "application/json" and data is not None:
                data = to_json(data)
            if isinstance(data, str) and data:
                emit(type, data)
                return
    except Exception:
        pass
    emit("text/plain", plain(value))


def forms(value):
    """Yields what the methods of a notebook return for a value."""
    # A class has these methods for its objects, and some objects claim to have any attribute.
    if isinstance(value, builtins.type) or method_of(value, "_no_object_has_this_method_"):
        return
    bundle = call(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple) and bundle:
        bundle = bundle[0]
    for type in METHODS:
        if isinstance(bundle, dict) and bundle.get(type) is not None:
            yield type, bundle[type]
    for type, name in METHODS.items():
        yield type, call(value, name)


def method_of(value, name):
    try:
        method = getattr(value, name, None)
        return method if callable(method) else None
    except Exception:
        return None


def call(value, name):
    try:
        method = method_of(value, name)
        shown = method() if method else None
        # Some return the data with metadata.
        if isinstance(shown, tuple) and name != "_repr_mimebundle_":
            return shown[0] if shown else None
        return shown
    except Exception:
        return None


def plain(value):
    try:
        text = str(repr(value))
    except Exception:
        text = "<%s object>" % builtins.type(value).__name__
    return text if len(text) <= MAX_PLAIN_CHARACTERS else text[:MAX_PLAIN_CHARACTERS] + "…"


def to_base64(data):
    import binascii

    try:
        if isinstance(data, str):
            data = binascii.a2b_base64(data)
        return binascii.b2a_base64(data, newline=False).decode("ascii") if data else None
    except Exception:
        return None


def to_json(value):
    import json

    try:
        # What is not JSON, such as NaN, is no result of that type.
        return json.dumps(json.loads(value) if isinstance(value, str) else value, allow_nan=False)
    except Exception:
        return None


def is_figure(value):
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def watch_figures(emit):
    """Makes `plt.show()` show figures by `emit`. Called again, it changes that. It does not load matplotlib."""
    Figures.emit = staticmethod(emit)
    if PYPLOT in sys.modules:
        hook(sys.modules[PYPLOT])
    elif not any(isinstance(finder, PyplotFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, PyplotFinder())


def show_figures(emit):
    """Shows and closes the figures that are open."""
    pyplot = sys.modules.get(PYPLOT)
    if pyplot is None:
        return
    try:
        for number in pyplot.get_fignums():
            show_figure(pyplot.figure(number), emit)
    except Exception:
        pass


def show_figure(figure, emit):
    """Shows a figure and closes it, so that it is shown once."""
    try:
        import io

        image = io.BytesIO()
        figure.savefig(image, format="png", bbox_inches="tight")
        emit("image/png", to_base64(image.getvalue()))
    except Exception as error:
        emit("text/plain", "[figure that could not be drawn: %s]" % plain(error))
    try:
        if PYPLOT in sys.modules:
            sys.modules[PYPLOT].close(figure)
    except Exception:
        pass


class Figures:
    emit = None


def hook(pyplot):
    def show_all(*_arguments, **_named):
        show_figures(Figures.emit)

    def show_one(figure, *_arguments, **_named):
        show_figure(figure, Figures.emit)

    try:
        pyplot.show = show_all
        sys.modules["matplotlib.figure"].Figure.show = show_one
    except Exception:
        pass


class PyplotFinder:
    """Hooks pyplot as soon as a program has loaded it."""

    def find_spec(self, name, path=None, target=None):
        if name != PYPLOT:
            return None
        import os

        # Without it, matplotlib would look for a display.
        os.environ.setdefault("MPLBACKEND", "agg")
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                return hooked(spec)
        return None


def hooked(spec):
    loader = spec.loader
    load = loader.exec_module

    def exec_module(module):
        load(module)
        hook(module)

    try:
        loader.exec_module = exec_module
    except Exception:
        pass  # A loader that takes no attributes. Its figures are shown at the end only.
    return spec
