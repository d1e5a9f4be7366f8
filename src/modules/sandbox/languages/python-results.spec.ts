import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { systemPython } from '../../../platform/python/system-python.js';
import { MAX_RESULTS, MAX_RESULTS_BYTES } from '../domain/rich-result.js';

const RESULTS = join(__dirname, 'python-results.py');

/** Runs the program as a bootstrap does and returns the results. The figures are those of a small matplotlib. */
function resultsOf(code: string): [string, string][] {
  const driver = `
import json, sys, types
results = {}
exec(compile(open(${JSON.stringify(RESULTS)}).read(), "results", "exec"), results)
shown = []
emit = results["bounded"](lambda type, data: shown.append([type, data]))
results["watch_figures"](emit)
code = sys.stdin.read()
statements, last = results["split"](code, "main.py")
names = {"__name__": "__main__"}
exec(statements, names)
if last is not None:
    results["show"](eval(last, names), emit)
results["show_figures"](emit)
print(json.dumps(shown))
`;
  const ended = spawnSync(systemPython(), ['-I', '-S', '-B', '-c', driver], { input: code, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return JSON.parse(ended.stdout) as [string, string][];
}

/** Writes a package like matplotlib, as far as results need it, and puts it on the path. */
const MATPLOTLIB = `
import os, sys, tempfile
root = tempfile.mkdtemp()
os.mkdir(root + "/matplotlib")
open(root + "/matplotlib/__init__.py", "w").close()
open(root + "/matplotlib/figure.py", "w").write("""
class Figure:
    def __init__(self, number): self.number = number
    def savefig(self, file, **named):
        if self.number == 13: raise ValueError("unlucky")
        file.write(b"figure %d" % self.number)
""")
open(root + "/matplotlib/pyplot.py", "w").write("""
from matplotlib.figure import Figure
figures = {}
def figure(number=None):
    number = number or len(figures) + 1
    return figures.setdefault(number, Figure(number))
def get_fignums(): return sorted(figures)
def close(figure): figures.pop(figure.number, None)
def show(): raise Exception("no display")
""")
sys.path.insert(0, root)
import matplotlib.pyplot as plt
`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the value of the last expression', () => {
  it.each([
    ['1 + 1', [['text/plain', '2']]],
    ['x = 4', []],
    ['', []],
    ['None', []],
    ['print', [['text/plain', '<built-in function print>']]],
    [
      'from __future__ import annotations\ndef f(x: Missing): pass\nf.__annotations__',
      [['text/plain', "{'x': 'Missing'}"]],
    ],
  ])('of %j is shown', (code, expected) => {
    expect(resultsOf(code)).toEqual(expected);
  });

  it.each([
    ['html', "return '<b>x</b>'", 'text/html', '<b>x</b>'],
    ['svg', "return '<svg/>'", 'image/svg+xml', '<svg/>'],
    ['png', "return b'png'", 'image/png', base64('png')],
    ['jpeg', "return b'jpeg', {'width': 3}", 'image/jpeg', base64('jpeg')],
    ['json', "return {'a': [1, None]}", 'application/json', '{"a": [1, null]}'],
    ['mimebundle', "return {'text/html': '<i>', 'other/type': 1}, {}", 'text/html', '<i>'],
  ])('comes from _repr_%s_', (method, body, type, data) => {
    expect(resultsOf(`class A:\n  def _repr_${method}_(self): ${body}\nA()`)).toEqual([[type, data]]);
  });

  it.each([
    [
      'a method that fails',
      'class A:\n  def _repr_html_(self): 1 / 0\n  def __repr__(self): return "plain"\nA()',
      'plain',
    ],
    [
      'a method that returns no text',
      'class A:\n  def _repr_html_(self): return 3\n  def __repr__(self): return "p"\nA()',
      'p',
    ],
    [
      'JSON that is none',
      'class A:\n  def _repr_json_(self): return float("nan")\n  def __repr__(self): return "p"\nA()',
      'p',
    ],
    [
      'an object with any attribute',
      'class A:\n  def __getattr__(self, n): return lambda: n\n  def __repr__(self): return "p"\nA()',
      'p',
    ],
    ['a class', 'class A:\n  def _repr_html_(self): return "x"\nA', "<class '__main__.A'>"],
    ['a repr that fails', 'class A:\n  def __repr__(self): 1 / 0\nA()', '<A object>'],
    ['a long repr', '"x" * 100_000', `'${'x'.repeat(65_535)}…`],
  ])('is plain text for %s', (_what, code, text) => {
    expect(resultsOf(code)).toEqual([['text/plain', text]]);
  });

  it('is bounded', () => {
    const [result] = resultsOf(`class A:\n  def _repr_html_(self): return "x" * ${MAX_RESULTS_BYTES + 1}\nA()`);
    expect(result).toEqual([
      'text/plain',
      '[text/html of 4194305 bytes left out: the results of a run have at most 4194304 bytes]',
    ]);
  });
});

describe('figures', () => {
  it('are shown by plt.show() and by fig.show(), once', () => {
    const code = `${MATPLOTLIB}\nplt.figure()\nplt.figure()\nplt.show()\nplt.show()\nf = plt.figure(7)\nf.show()`;
    expect(resultsOf(code).map(([type, data]) => [type, Buffer.from(data, 'base64').toString()])).toEqual([
      ['image/png', 'figure 1'],
      ['image/png', 'figure 2'],
      ['image/png', 'figure 7'],
    ]);
  });

  it('are shown at the end when they are open then, and as the last expression, once', () => {
    const images = resultsOf(`${MATPLOTLIB}\nplt.figure(5)\nplt.figure(4)`);
    expect(images).toEqual([
      ['image/png', base64('figure 4')],
      ['image/png', base64('figure 5')],
    ]);
  });

  it('that cannot be drawn say so', () => {
    expect(resultsOf(`${MATPLOTLIB}\nx = plt.figure(13)`)).toEqual([
      ['text/plain', "[figure that could not be drawn: ValueError('unlucky')]"],
    ]);
  });

  it('are bounded in number', () => {
    expect(resultsOf(`${MATPLOTLIB}\nfor n in range(50): plt.figure(n + 20)`)).toHaveLength(MAX_RESULTS);
  });
});
