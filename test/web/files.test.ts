import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { serviceUrl } from './support.js';

const DIRECTORY = join(PROJECT_ROOT, 'dist/web');
/** In bytes of gzip, as the design allows; fonts are as they are. */
const BUDGETS = { script: 120_000, style: 12_000, fonts: 55_000 };

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const STORAGE = process.env['WEB_TEST_STORAGE']!;
/** The origins of buckets, beside that of the app. */
const SHOWN = `'self' ${STORAGE} ${STORAGE.replace('//', '//*.')}`;

const manifest = JSON.parse(readFileSync(join(DIRECTORY, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
const gzipBytes = (file: string): number => gzipSync(readFileSync(join(DIRECTORY, file)), { level: 9 }).length;

/** The files that a screen needs: its own and, once each, all that they import. */
function filesOf(key: string, seen = new Set<string>()): Set<string> {
  const { file, imports = [], css = [] } = manifest[key]!;
  for (const each of [file, ...css]) seen.add(each);
  for (const each of imports) if (!seen.has(manifest[each]!.file)) filesOf(each, seen);
  return seen;
}

const bytesOf = (files: Iterable<string>, ending: string): number =>
  [...files].filter((file) => file.endsWith(ending)).reduce((sum, file) => sum + gzipBytes(file), 0);

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(serviceUrl() + path, { headers, redirect: 'manual' });

jest.setTimeout(300_000);

describe('the files of the web app', () => {
  it('keep the budgets on every screen', () => {
    const screens = Object.keys(manifest).filter((key) => key.startsWith('src/screens/'));
    expect(screens.length).toBeGreaterThanOrEqual(10);
    for (const screen of screens) {
      const files = new Set([...filesOf('app.html'), ...filesOf(screen)]);
      expect({ screen, isSmall: bytesOf(files, '.js') <= BUDGETS.script }).toEqual({ screen, isSmall: true });
      expect({ screen, isSmall: bytesOf(files, '.css') <= BUDGETS.style }).toEqual({ screen, isSmall: true });
    }
    const fonts = ['geist-latin-wght', 'geist-mono-latin-wght'].map(
      (name) => Object.values(manifest).find(({ file }) => file.includes(`/${name}-`) && file.endsWith('.woff2'))!.file,
    );
    expect(fonts.reduce((sum, file) => sum + readFileSync(join(DIRECTORY, file)).length, 0)).toBeLessThan(
      BUDGETS.fonts,
    );
  });

  it('are one page for every address of the app, which is asked for each time', async () => {
    for (const path of ['/app', '/app/', '/app/sign-in', '/app/acme/projects/prj_1/deploys/dpl_1']) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'; " +
          // Pictures, films and documents of buckets are shown from an origin of their own.
          `img-src ${SHOWN}; media-src ${SHOWN}; frame-src ${SHOWN}`,
      );
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('same-origin');
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(await response.text()).not.toMatch(/<style|<script>|style=|data:/);
    }
  });

  it('come compressed and stay in caches for ever, as their names have a hash', async () => {
    const { file } = manifest['app.html']!;
    const plain = readFileSync(join(DIRECTORY, file));
    expect(file).toMatch(/^assets\/[\w-]+-[\w-]{8}\.js$/);
    const { headers } = await get(`/${file}`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('vary')).toBe('Accept-Encoding');

    // Node's fetch decodes by itself, so that the encoding is looked at on disk.
    expect(brotliDecompressSync(readFileSync(join(DIRECTORY, `${file}.br`)))).toEqual(plain);
    expect(gunzipSync(readFileSync(join(DIRECTORY, `${file}.gz`)))).toEqual(plain);
    const encodings = { 'gzip, deflate, br': 'br', gzip: 'gzip', 'br;q=0, gzip': 'gzip', identity: null };
    for (const [accepted, expected] of Object.entries(encodings)) {
      const answer = await get(`/${file}`, { 'accept-encoding': accepted });
      expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, expected]);
      expect((await answer.text()).length).toBe(plain.toString().length);
    }
  });

  it('that do not exist are 404, also where the address leads elsewhere', async () => {
    for (const path of [
      '/assets/gone-00000000.js',
      '/assets/..%2Fapp.html',
      '/assets/%2e%2e%2f.vite%2fmanifest.json',
      '/site/none.svg',
      '/.vite/manifest.json',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  it('leave the public pages and the document of the API where they were', async () => {
    expect((await get('/')).status).toBe(200);
    expect((await get('/docs')).status).toBe(200);
    const document = (await (await get('/api/v1/openapi.json')).json()) as { paths: object };
    expect(Object.keys(document.paths).filter((path) => /^\/(app|assets|site)/.test(path))).toEqual([]);
  });
});
