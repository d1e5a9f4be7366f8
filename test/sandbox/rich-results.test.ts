import { type ArtifactSink } from '../../src/modules/sandbox/domain/artifacts.js';
import { MAX_RESULTS } from '../../src/modules/sandbox/domain/rich-result.js';
import { type SandboxOutcome } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { as, expectStatus, Make } from '../support/make.js';
import { type Answer, useApp, WITH_SANDBOX } from '../support/test-app.js';

const PATH = '/api/v1/sandbox/executions';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A package like matplotlib, as far as results need it. */
const MATPLOTLIB = [
  { path: 'matplotlib/__init__.py', content: '' },
  {
    path: 'matplotlib/figure.py',
    content:
      'class Figure:\n' +
      '    def __init__(self, number): self.number = number\n' +
      '    def savefig(self, file, **named): file.write(b"figure %d" % self.number)\n',
  },
  {
    path: 'matplotlib/pyplot.py',
    content:
      'from matplotlib.figure import Figure\n' +
      'open_figures = {}\n' +
      'def figure(number=None):\n' +
      '    number = number or len(open_figures) + 1\n' +
      '    return open_figures.setdefault(number, Figure(number))\n' +
      'def get_fignums(): return sorted(open_figures)\n' +
      'def close(figure): open_figures.pop(figure.number, None)\n' +
      'def show(): raise Exception("no display")\n',
  },
];

/** Data frames of the sort that pandas has. */
const FRAMES = [
  {
    path: 'frames.py',
    content:
      'class Frame:\n    def _repr_html_(self): return "<table></table>"\n    def _repr_png_(self): return b"png"\n',
  },
];

describe('rich results over HTTP', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
  const make = new Make(app);
  let key: string;

  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
  });

  const execute = (body: object): Promise<Answer> =>
    app.post(PATH, { language: 'python', rich_results: true, ...body }, as(key));
  const run = async (code: string, files: object[] = []): Promise<any> =>
    expectStatus(200, await execute({ code, files })).body.data;

  it('are the last expression in its richest form, also when the execution is read again', async () => {
    const data = await run('from frames import Frame\nFrame()', FRAMES);
    expect(data).toMatchObject({
      status: 'succeeded',
      stdout: '',
      results: [{ type: 'text/html', data: '<table></table>' }],
    });
    expect((await app.fetch(`${PATH}/${data.id}`, as(key))).body.data).toEqual(data);
    const [listed] = (await app.fetch(PATH, as(key))).body.data as object[];
    expect(listed).not.toHaveProperty('results');
  });

  it('are figures, when they are shown and at the end', async () => {
    const code =
      'import matplotlib.pyplot as plt\nplt.figure()\nplt.show()\nprint(1)\nplt.figure(7)\nx = plt.figure(8)';
    const data = await run(code, MATPLOTLIB);
    expect(data.results).toEqual(
      ['figure 1', 'figure 7', 'figure 8'].map((figure) => ({ type: 'image/png', data: base64(figure) })),
    );
  });

  it.each([
    ['an error', 'import matplotlib.pyplot as plt\nplt.figure()\n1 / 0', 'failed'],
    ['exit()', 'import matplotlib.pyplot as plt\nplt.figure()\nexit()', 'succeeded'],
  ])('are figures that were open at %s, too', async (_what, code, status) => {
    expect(await run(code, MATPLOTLIB)).toMatchObject({
      status,
      results: [{ type: 'image/png', data: base64('figure 1') }],
    });
  });

  it('change neither errors nor their lines', async () => {
    const found = async (code: string, rich: boolean): Promise<unknown> => {
      const { data } = expectStatus(200, await execute({ code, rich_results: rich })).body;
      return { status: data.status, error: data.error, stdout: data.stdout, stderr: data.stderr };
    };
    for (const code of [
      'x = 1\nraise ValueError("no")',
      'print(1)\nx = (',
      'def f():\n  1 / 0\n\nf()',
      'import sys\nsys.exit("bye")',
    ])
      expect(await found(code, true)).toEqual(await found(code, false));
  });

  it('are none for a program that shows nothing, and absent unless they are asked for', async () => {
    expect((await run('x = 1')).results).toEqual([]);
    const plain = expectStatus(200, await execute({ code: '1 + 1', rich_results: false })).body.data;
    expect(plain).not.toHaveProperty('results');
  });

  it('are bounded, and safe to store whatever they are', async () => {
    const data = await run(`import os\nfor n in range(100): os.write(4, b"#result text/plain 2\\na\\0")`);
    expect(data.results).toHaveLength(MAX_RESULTS);
    expect((await run('"a\\0\\ud800"')).results).toEqual([{ type: 'text/plain', data: "'a\\x00\\ud800'" }]);
    const [html] = (await run('class A:\n  def _repr_html_(self): return "a\\0\\ud800"\nA()')).results;
    expect(html).toEqual({ type: 'text/html', data: 'a\0?' });
  });

  it('come with the result of a stream', async () => {
    const answer = await fetch(`${app.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ language: 'python', code: '6 * 7', rich_results: true }),
    });
    expect(await answer.text()).toMatch(/event: result\ndata: \{.*"results":\[\{"type":"text\/plain","data":"42"\}\]/);
  });

  it.each([{ language: 'javascript' }, { language: 'typescript' }, { rich_results: 'yes' }])(
    'are refused with %j',
    async (body) => {
      expect((await execute({ code: '1', ...body })).body.error).toMatchObject({
        code: 'invalid_request',
        status: 400,
      });
    },
  );

  it('are not for anonymous callers', async () => {
    const answer = await app.post('/api/v1/sandbox/try', { language: 'python', code: '1', rich_results: true });
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ code: 'unknown_field' }] });
  });
});

describe.each([
  { cgroups: 'auto', forkServer: 'auto', processes: 64 },
  { cgroups: 'auto', forkServer: 'off', processes: 64 },
  { cgroups: 'off', forkServer: 'auto', processes: 64 },
] as const)('what programs deliver with cgroups $cgroups and the fork server $forkServer', (mode) => {
  const runtime = new PooledRuntime(
    new Isolation({ cgroups: mode.cgroups, cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' }),
    {
      concurrency: 1,
      limits: { timeoutMs: 5_000, memoryBytes: 256 * 1024 * 1024 },
      forkServer: mode.forkServer,
      poolSize: 1,
    },
  );

  beforeAll(async () => {
    expect(await runtime.probe()).toMatchObject({ available: true });
  });
  afterAll(() => runtime.close());

  /** Returns the contents of the files that arrived. */
  async function deliver(language: 'python' | 'javascript', code: string): Promise<[SandboxOutcome, object]> {
    const files: Record<string, string> = {};
    let last = '';
    const sink: ArtifactSink = {
      begin: ({ path }) => {
        last = path;
        files[path] = '';
      },
      take: (piece) => {
        files[last] += piece.toString();
        // A storage is slower than the program.
        return new Promise((resolve) => setTimeout(resolve, 20));
      },
    };
    const limits = {
      timeoutMs: 5_000,
      memoryBytes: 256 * 1024 * 1024,
      outputBytes: 1024,
      processes: mode.processes,
      artifactBytes: 1_000_000,
    };
    const run = { id: 'exe_test', language, code, stdin: '', limits, options: { richResults: language === 'python' } };
    return [await runtime.run(run, undefined, undefined, sink), files];
  }

  it('arrives whole, however slowly it is taken', async () => {
    const large = 'x'.repeat(900_000);
    const [python, pythonFiles] = await deliver('python', `open("/artifacts/x", "w").write("x" * 900_000)\n1 + 1`);
    expect(python).toMatchObject({ status: 'succeeded', results: [{ data: '2' }], artifactErrors: [] });
    expect(pythonFiles).toEqual({ x: large });
    const [node, nodeFiles] = await deliver(
      'javascript',
      'require("fs").writeFileSync("/artifacts/x", "x".repeat(900_000)); process.exitCode = 200;',
    );
    expect(node).toMatchObject({ status: 'failed', exitCode: 200, artifactErrors: [] });
    expect(nodeFiles).toEqual({ x: large });
  });
});
