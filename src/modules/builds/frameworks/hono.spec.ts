import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspectionOf } from '../plan/inspection.js';
import { hono } from './hono.js';
import { type ServerMode } from './preset.js';
import { Source } from './source.js';

/** In place of the server: it says what it serves, and where. */
const NODE_SERVER = `export const serve = ({ fetch, port, hostname }) => console.log(fetch(), hostname, port);`;

/** What the program that serves an app of Hono prints, for a project with this one file. */
function servedOf(file: string, text: string): string {
  const source = new Source(
    inspectionOf({
      found: true,
      paths: ['src', file],
      entries: ['src'],
      manifest: { dependencies: { hono: '4' }, scripts: {} },
    }),
  );
  const mode = hono.modes.find(({ when }) => when?.(source) ?? true) as ServerMode;
  const adapter = mode.adapter!(source)!;
  const directory = mkdtempSync(join(tmpdir(), 'hono-'));
  try {
    const server = '.adapter/node_modules/@hono/node-server';
    const files = {
      ...adapter.files,
      [`${server}/package.json`]: '{"type":"module","exports":"./index.js"}',
      [`${server}/index.js`]: NODE_SERVER,
      [file]: text,
    };
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    }
    const { stdout, stderr } = spawnSync(process.execPath, [mode.start(source)!.at(-1)!], {
      cwd: directory,
      env: { PORT: '3000' },
      encoding: 'utf8',
    });
    return stdout + stderr;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('an app of Hono that is only exported', () => {
  it.each([
    ['a module', 'src/index.mjs', `export default { fetch: () => 'the app' };`],
    ['a file of CommonJS', 'src/index.js', `module.exports = { fetch: () => 'the app' };`],
    [
      'compiled TypeScript',
      'src/index.js',
      `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { fetch: () => 'the app' };`,
    ],
    [
      'an app that also lets Bun know its port',
      'src/index.mjs',
      `export default { port: 80, fetch: () => 'the app' };`,
    ],
  ])('is served from %s', (_what, file, text) => {
    expect(servedOf(file, text)).toBe('the app 0.0.0.0 3000\n');
  });

  it('is named when it is not exported', () => {
    expect(servedOf('src/index.mjs', 'export const app = {};')).toContain('src/index.mjs exports no app by default.');
  });
});
