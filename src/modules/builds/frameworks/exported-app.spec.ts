import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspectionOf } from '../plan/inspection.js';
import { express } from './express.js';
import { type Adapter, type ServerMode } from './preset.js';
import { Source } from './source.js';

interface Started {
  readonly command: readonly string[];
  readonly adapter: Adapter | null;
}

/** What the preset of Express does with a project that has only this file. */
function planned(file: string, scripts: Record<string, string> = {}): Started {
  const source = new Source(
    inspectionOf({
      found: true,
      paths: [file],
      entries: [file],
      manifest: { dependencies: { express: '5' }, scripts },
    }),
  );
  const mode = express.modes.find(({ when }) => when?.(source) ?? true) as ServerMode;
  return { command: mode.start(source)!, adapter: mode.adapter?.(source) ?? null };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The answer of the program, or its exit status when it ends. */
async function answerOf(file: string, text: string): Promise<string | number> {
  const { command, adapter } = planned(file);
  const directory = mkdtempSync(join(tmpdir(), 'exported-app-'));
  for (const [path, content] of Object.entries({ ...adapter!.files, [file]: text })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  const port = await freePort();
  const program = spawn(process.execPath, command.slice(1), {
    cwd: directory,
    env: { PORT: String(port) },
    stdio: 'ignore',
  });
  const ended = once(program, 'exit').then(([status]) => status as number);
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).then(
        (response) => response.text(),
        () => null,
      );
      if (answer !== null) return answer;
      const status = await Promise.race([ended, new Promise<null>((resolve) => setTimeout(resolve, 20, null))]);
      if (status !== null) return status;
    }
  } finally {
    program.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true });
  }
}

describe('a file that is started because of its name', () => {
  it.each([
    ['a function of CommonJS', 'index.js', `module.exports = (request, response) => response.end('exported');`],
    ['a function of a module', 'src/index.mjs', `export default (request, response) => response.end('exported');`],
    ['an app of Koa', 'app.mjs', `export default { callback: () => (request, response) => response.end('exported') };`],
    [
      'an app of compiled TypeScript',
      'app.js',
      `exports.__esModule = true; exports.default = (request, response) => response.end('exported');`,
    ],
  ])('serves %s', async (_what, file, text) => {
    expect(await answerOf(file, text)).toBe('exported');
  });

  it('runs its own server, also when that listens later', async () => {
    const text = `
      module.exports = (request, response) => response.end('exported');
      const server = require('http').createServer((request, response) => response.end('own'));
      setTimeout(() => server.listen(process.env.PORT), 100);`;
    expect(await answerOf('server.js', text)).toBe('own');
  });

  it('ends as before when it exports no app', async () => {
    expect(await answerOf('main.js', 'module.exports = { name: "shop" };')).toBe(0);
  });

  it('is started without more where a script says how', () => {
    expect(planned('index.js', { start: 'node index.js' })).toEqual({ command: ['node', 'index.js'], adapter: null });
  });
});
