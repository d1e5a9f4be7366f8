import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { client, signUpWithKey } from '../support/built-client.js';
import { COMMAND, type Ended, useCommandLine } from '../support/command-line.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

/** Texts over several lines, empty lines in brackets, and brackets in texts, as people type them. */
const SERVER_AND_CLIENT = `
import csv, http.server, io, json, threading, urllib.error, urllib.request
STARS = """name,light_years
Sirius,8.6

Vega,25.0
Rigel,860.0
"""
class Answers(http.server.BaseHTTPRequestHandler):
    # Answers one path (/stars.csv).
    def do_GET(self):
        if self.path != "/stars.csv":
            return self.send_error(404)
        self.send_response(200)
        self.send_header("content-type", "text/csv")
        self.end_headers()
        self.wfile.write(STARS.encode())
    def log_message(self, *_): pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_address[1]}"
print("listening")
answer = urllib.request.urlopen(address + "/stars.csv")
print(answer.status, answer.headers["content-type"])
stars = [
    (row["name"], float(row["light_years"]))

    for row in csv.DictReader(io.StringIO(answer.read().decode()))
]
name, distance = max(stars, key=lambda star: star[1])
print(f"{len(stars)} stars, the farthest is {name} ({distance})")
try:
    urllib.request.urlopen(address + "/nothing")
except urllib.error.HTTPError as error:
    print(error.code)

server.shutdown()
print("(")
`;

/** A picture of one pixel. */
const PICTURE = `
import struct, zlib
def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))

class Picture:
    def _repr_png_(self):
        head = struct.pack('>IIBBBBB', 1, 1, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b'\\0' + bytes([255, 0, 0]))
        return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', pixels) + chunk(b'IEND', b'')

`;
const SHOWN = `${PICTURE}
class Shown:
    def __init__(self, type, data):
        self.bundle = {type: data}
    def _repr_mimebundle_(self, **_):
        return self.bundle

stars = ["Sirius", "Vega"]
rows = "".join(f"<tr><th>{i}<td>{star}<td>{len(star)}" for i, star in enumerate(stars))
Shown("text/html", f"<table><tr><th><th>Name<th>Length{rows}</table>")
Shown("application/json", {"a": [1, 12345678901234567890]})
class Ugly:
    def __repr__(self):
        return "x\\x1b[2Jy\\x07"

Ugly()
'one line'
Picture()
Shown("image/svg+xml", "<svg></svg>")
`;

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

  it('has a small web server and its client, with nothing but the standard library', async () => {
    const { code, stdout, stderr } = await run(['repl'], SERVER_AND_CLIENT);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'listening\n200 text/csv\n3 stars, the farthest is Rigel (860.0)\n404\n(\n',
      stderr: '',
    });
  });

  it('shows tables and JSON, and saves pictures under names of its own', async () => {
    const saved = join(service.home, 'shown');
    mkdirSync(saved);
    writeFileSync(join(saved, 'result-2.png'), 'mine');
    const { code, stdout, stderr } = await run(['repl', '--save-results', saved], SHOWN);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        '   Name    Length\n-  ------  ------\n0  Sirius       6\n1  Vega         4\n' +
        '{\n  "a": [\n    1,\n    12345678901234567890\n  ]\n}\n' +
        // What a terminal would obey is not in a result, as little as its own lines are gone.
        "x\uFFFD[2Jy\uFFFD\n'one line'\n",
      stderr:
        `service: HTML saved as ${saved}/result-1.html\nservice: picture saved as ${saved}/result-3.png\n` +
        `service: picture saved as ${saved}/result-4.svg\n`,
    });
    expect(readFileSync(join(saved, 'result-2.png'), 'utf8')).toBe('mine');
    expect(readFileSync(join(saved, 'result-1.html'), 'utf8')).toMatch(/^<table>/);
    expect(readFileSync(join(saved, 'result-3.png')).toString('hex')).toMatch(/^89504e470d0a1a0a/);
    expect(readFileSync(join(saved, 'result-4.svg'), 'utf8')).toMatch(/^<svg/);
  });

  it('saves pictures among the temporary files, and says what a terminal leaves out', async () => {
    const id = await created();
    const directory = join(service.home, 'temporary');
    mkdirSync(directory);
    const shown = await service.run(['sandbox', 'session', 'run', id, '-'], {
      env: { ...env, TMPDIR: directory },
      input: `${PICTURE}Picture()`,
    });
    const [, path] = /^service: picture saved as (.*)\n$/.exec(shown.stderr) ?? [];
    expect(path).toMatch(new RegExp(`^${directory}/service-results-\\w+/result-1\\.png$`));
    expect(readFileSync(path!).length).toBeGreaterThan(50);
    const wide =
      'class Wide:\n    def _repr_html_(self):\n        return "<table><tr>" + "<td>column</td>" * 40\nWide()';
    const { stdout, stderr } = await run(['session', 'run', id, '-'], wide);
    expect(stdout).toMatch(/^column  column .* {2}…\n$/);
    expect(stderr).toBe('service: the rest of the table is left out; --save-results saves all of it\n');
    const both = await service.run(['--json', 'sandbox', 'session', 'run', id, '-', '--save-results', 'x'], { env });
    expect(both).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Leave out --save-results') });
    await end(id);
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
