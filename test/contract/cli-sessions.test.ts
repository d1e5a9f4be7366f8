import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { client, signUpWithKey } from '../support/built-client.js';
import { COMMAND, type Ended, useCommandLine } from '../support/command-line.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

describe('service sandbox session', () => {
  const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '1' });
  const service = useCommandLine(() => app.url);
  let env: Record<string, string>;

  beforeAll(async () => {
    env = { SERVICE_API_KEY: (await signUpWithKey(app.url)).apiKey };
  });

  const run = (args: readonly string[], input?: string): Promise<Ended> =>
    service.run(['sandbox', ...args], { env, ...(input === undefined ? {} : { input }) });
  async function created(...options: readonly string[]): Promise<string> {
    const { stdout, stderr, code } = await run(['session', 'create', ...options]);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.trim();
  }
  const end = async (id: string): Promise<void> => {
    expect(await run(['session', 'end', id])).toEqual({ code: 0, stdout: `${id}  ended\n`, stderr: '' });
  };

  it('creates sessions, runs programs and commands in them, and ends them', async () => {
    const id = await created('--name', 'mine', '--env', 'GREETING=hi', '--idle', '600');
    const program = join(service.home, 'program.py');
    writeFileSync(program, 'import os, sys\nx = 41\nprint(os.environ["GREETING"], input())');
    expect(await run(['session', 'run', id, program, '--input', '-'], 'you\n')).toEqual({
      code: 0,
      stdout: 'hi you\n',
      stderr: '',
    });
    expect((await run(['session', 'run', id, '-'], 'print(x + 1)')).stdout).toBe('42\n');
    expect(await run(['session', 'shell', id, '--', 'echo', 'out;', 'echo err >&2; exit 3'])).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    const listed = await run(['session', 'list']);
    expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${id}  python    (awake|frozen) .* mine\\n$`));
    expect((await run(['session', 'get', id])).stdout).toMatch(new RegExp(`^${id}  (awake|frozen)\\n$`));
    const { stdout } = await service.run(['--json', 'sandbox', 'session', 'shell', id, 'true'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ session_id: id, status: 'succeeded', exit_code: 0 });
    await end(id);
    const over = await run(['session', 'run', id, '-'], 'print(1)');
    expect([over.code, over.stderr]).toEqual([expect.any(Number), expect.stringContaining('has ended')]);
    expect(over.code).not.toBe(0);
  });

  it('copies files, byte for byte', async () => {
    const id = await created();
    const [from, to] = [join(service.home, 'from.bin'), join(service.home, 'to.bin')];
    writeFileSync(from, Buffer.from([0, 255, 10, 128]));
    expect((await run(['session', 'upload', id, from])).code).toBe(0);
    expect((await run(['session', 'upload', id, from, 'deep/in.bin'])).code).toBe(0);
    const files = await run(['session', 'files', id]);
    expect(files.stdout).toMatch(/^PATH .*\n(.*\n)*from\.bin +4 B/);
    expect(files.stdout).toContain('deep/');
    expect((await run(['session', 'download', id, 'deep/in.bin', to])).code).toBe(0);
    expect(readFileSync(to).equals(readFileSync(from))).toBe(true);
    expect((await run(['session', 'remove', id, 'from.bin'])).code).toBe(0);
    const gone = await run(['session', 'download', id, 'from.bin']);
    expect([gone.code === 0, gone.stderr]).toEqual([false, expect.stringContaining('no file')]);
    await end(id);
  });

  it('saves what runs, commands and steps leave in /artifacts', async () => {
    const id = await created();
    const saved = (...path: string[]): string => readFileSync(join(service.home, 'saved', ...path), 'utf8');
    const into = ['--artifacts', join(service.home, 'saved')];
    const code =
      'import os\nos.mkdir("/artifacts/a")\nn = open("/artifacts/a/one", "w").write("1")\nos.mkfifo("/artifacts/p")';
    const ran = await run(['session', 'run', id, '-', ...into], code);
    expect([ran.code, ran.stdout, saved('a', 'one')]).toEqual([0, '', '1']);
    expect(ran.stderr).toMatch(/^service: p is not kept: .+\n$/);
    const shell = ['session', 'shell', id, ...into, '--', 'rm /artifacts/p; echo 2 > /artifacts/two'];
    expect(await run(shell)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(saved('two')).toBe('2\n');
    const typed = 'n = open("/artifacts/three", "w").write("3")\nn = open("/artifacts/four", "w").write("4")\n';
    expect(await run(['repl', '--session', id, ...into], typed)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([saved('three'), saved('four')]).toEqual(['3', '4']);
    await end(id);
  });

  it('goes on with its session after a step whose files could not be saved', async () => {
    const id = await created();
    // This is what the client library throws after its time limit. The code of the error is a number.
    const late = encodeURIComponent(
      "const real = fetch; globalThis.fetch = (url, init) => String(url).includes('/artifacts/')" +
        " ? Promise.reject(new DOMException('late', 'TimeoutError')) : real(url, init);",
    );
    const typed =
      'import os\nos.mkfifo("/artifacts/pipe"); n = open("/artifacts/one", "w").write("1")\nprint("goes on")\n';
    const { code, stdout, stderr } = await service.run(
      ['sandbox', 'repl', '--session', id, '--artifacts', join(service.home, 'late')],
      { env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${late}` }, input: typed },
    );
    expect([code, stdout]).toEqual([0, 'goes on\n']);
    expect(stderr).toContain('cannot be reached: late');
    expect(stderr).toContain('pipe is not kept');
    await end(id);
  });

  it('is an interpreter, line by line, which ends with its session', async () => {
    const input = 'x = 2\ndef double(n):\n    return 2 * n\n\nprint(double(x))\n1 / 0\nprint("goes on")\n';
    const { code, stdout, stderr } = await run(['repl'], input);
    expect([code, stdout]).toEqual([0, '4\ngoes on\n']);
    expect(stderr).toContain('ZeroDivisionError');
    expect((await run(['session', 'list', '--status', 'awake'])).stdout.split('\n')).toHaveLength(2);
  });

  it('goes on in a session that stays', async () => {
    const id = await created('--language', 'javascript');
    expect((await run(['repl', '--session', id], 'var x = [\n1,\n2]\n')).code).toBe(0);
    expect((await run(['repl', '--session', id], 'console.log(x.length)\n')).stdout).toBe('2\n');
    await end(id);
  });

  it('refuses options that its session has already', async () => {
    const refused = await run(['repl', '--session', 'sbx_1', '--language', 'python'], '');
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Leave out --language') });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('cancels a run that is streamed when %s ends the command', async (signal) => {
    const api = new client.Service({ apiKey: env['SERVICE_API_KEY'], baseUrl: app.url });
    const program = join(service.home, 'sleeps.py');
    writeFileSync(program, 'import time\nprint("began", flush=True)\ntime.sleep(25)');
    const child = spawn(process.execPath, [COMMAND, 'sandbox', 'run', '--stream', program], {
      env: { ...service.environment, ...env },
    });
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    expect(first.toString()).toBe('began\n');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    const { data } = await api.sandbox.list({ limit: 1 });
    // The command has waited for the answer.
    await eventually(async () => (await api.sandbox.get(data[0]!.id)).status === 'cancelled', 'a cancelled run');
  });

  it.each([
    ['is no longer read', 'pipe', [0, null], ''],
    ['cannot be written', '/dev/full', [1, null], 'service: ENOSPC'],
  ])('cancels a run that is streamed when its output %s', async (_, output, end, error) => {
    const api = new client.Service({ apiKey: env['SERVICE_API_KEY'], baseUrl: app.url });
    const program = join(service.home, 'goes-on.py');
    writeFileSync(program, 'import time\nwhile True:\n    print("more", flush=True)\n    time.sleep(0.1)');
    const stdout = output === 'pipe' ? output : openSync(output, 'w');
    const child = spawn(process.execPath, [COMMAND, 'sandbox', 'run', '--stream', program], {
      env: { ...service.environment, ...env },
      stdio: ['ignore', stdout, 'pipe'],
    });
    if (typeof stdout === 'number') closeSync(stdout);
    child.stdout?.once('data', () => child.stdout!.destroy());
    const [said, ended] = await Promise.all([text(child.stderr!), once(child, 'close')]);
    expect([ended, said]).toEqual([end, expect.stringContaining(error)]);
    const { data } = await api.sandbox.list({ limit: 1 });
    await eventually(async () => (await api.sandbox.get(data[0]!.id)).status === 'cancelled', 'a cancelled run');
  });

  it('can be called with the library, as any endpoint', async () => {
    const api = new client.Service({ apiKey: env['SERVICE_API_KEY'], baseUrl: app.url });
    const path = '/api/v1/sandbox/sessions';
    const response = await api.request({ method: 'GET', path, query: { limit: 1 } });
    expect([response.status, ((await response.json()) as { data: unknown[] }).data.length]).toEqual([200, 1]);
    await expect(api.request({ method: 'GET', path: `${path}/sbx_none` })).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'sandbox_session_not_found',
    });
  });
});
