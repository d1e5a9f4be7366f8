import { Agreement } from './corpus/agreement.js';
import { programs } from './corpus/corpus.js';

/** What these show of the way in which a program was started has to be that of a local start. */
const OWN = [
  ['an error of CommonJS', 'javascript', 'function f() {\n  throw new Error("x");\n}\nf();'],
  ['an error of an ES module', 'javascript', 'import "node:fs";\nawait 0;\nthrow new TypeError("x");'],
  ['a syntax error', 'javascript', 'let a = 1;\nlet b = = 2;'],
  ['a rejection', 'javascript', 'Promise.reject(new Error("x"));'],
  [
    'the modules and the asynchronous context of the program',
    'javascript',
    'console.log(Object.keys(require.cache), module.children, require.main === module, ' +
      'require("async_hooks").executionAsyncId(), require("module").runMain.name);',
  ],
  [
    'a worker thread',
    'javascript',
    'const { Worker, isMainThread, parentPort } = require("worker_threads");\n' +
      'if (isMainThread) new Worker(__filename).on("message", console.log);\n' +
      'else parentPort.postMessage([Object.keys(require.cache), process.execArgv]);',
  ],
  [
    'an error of Python',
    'python',
    'def f():\n  try: 1 / 0\n  except ZeroDivisionError as e: raise KeyError("x") from e\nf()',
  ],
  ['a syntax error of Python', 'python', 'x = 1\nprint(x'],
  [
    'the names of a program of Python',
    'python',
    'names = [(n, v if isinstance(v, (str, dict)) else type(v)) for n, v in list(globals().items())]\n' +
      'print(names, type(help), __annotations__)',
  ],
] as const;

describe('whole programs that others wrote', () => {
  let agreement: Agreement;
  beforeAll(async () => {
    agreement = await Agreement.open();
  });
  afterAll(() => agreement.close());

  it('are at least 200, and do in the sandbox what they do locally', async () => {
    const all = programs();
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(await agreement.differencesOf(all)).toEqual([]);
  }, 180_000);

  it('cannot tell how they were started', async () => {
    const own = OWN.map(([name, language, code]) => ({ name, language, code, files: [] }));
    expect(await agreement.differencesOf(own)).toEqual([]);
  });
});
