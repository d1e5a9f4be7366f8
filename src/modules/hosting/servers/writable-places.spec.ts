import type { Manifest } from '../ingest/manifest.js';
import { writablePlaces } from './writable-places.js';

const MEBIBYTE = 1_048_576;

function manifest(files: Readonly<Record<string, number>>, change: Partial<Manifest> = {}): Manifest {
  return {
    version: 1,
    framework: 'nextjs',
    nodeVersion: '24',
    kind: 'server',
    server: { command: ['node', 'server.js'], directory: '' },
    static: [],
    routing: { redirects: [], rewrites: [], headers: [], cleanUrls: false, trailingSlash: null, notFound: null },
    files: Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, { sha256: 'x', bytes }])),
    ...change,
  };
}

const paths = (one: Manifest): string[] => writablePlaces(one).map(({ path }) => path);

describe('the directories that a server may write to', () => {
  it('are one for every server, and those of Next.js where its output is', () => {
    expect(paths(manifest({ 'server.js': 1 }))).toEqual(['.cache']);
    expect(paths(manifest({ '.next/server/app/index.html': 1 }, { framework: 'node' }))).toEqual(['.cache']);
    expect(writablePlaces(manifest({ '.next/server/app/index.html': 1, '.next/server/app/page.js': 5_000 }))).toEqual([
      { path: '.cache', bytes: 64 * MEBIBYTE, isCopied: false },
      { path: '.next/cache', bytes: 64 * MEBIBYTE, isCopied: false },
      { path: '.next/server/app', bytes: 3 * 4_096 + 16 * MEBIBYTE, isCopied: true },
    ]);
    const server = { command: ['node', 'server.js'], directory: 'apps/web' };
    expect(paths(manifest({ 'apps/web/.next/server/pages/index.html': 1 }, { server }))).toEqual([
      '.cache',
      'apps/web/.next/cache',
      'apps/web/.next/server/pages',
    ]);
  });

  it('never hide files of the deploy, follow no link, and have a limit', () => {
    expect(paths(manifest({ '.cache/kept': 1 }))).toEqual([]);
    expect(paths(manifest({ '.cache': 1 }))).toEqual([]);
    const page = { '.next/server/app/index.html': 1 };
    expect(paths(manifest({ ...page, '.next/cache/old': 1 }))).toEqual(['.cache', '.next/server/app']);
    expect(paths(manifest(page, { links: { '.next/server/app/link': '../x' } }))).toEqual(['.cache', '.next/cache']);
    expect(paths(manifest({ 'x/page': 1 }, { links: { '.next': 'x' } }))).toEqual(['.cache']);
    expect(paths(manifest({ '.next/server/app/index.html': 33 * MEBIBYTE }))).toEqual(['.cache', '.next/cache']);
  });
});
