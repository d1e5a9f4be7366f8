import type { Manifest } from '../ingest/manifest.js';
import { workingDirectory, writablePlaces } from './writable-places.js';

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

  it('include those for data beside the server, with a copy of what the deploy has there', () => {
    const files = { 'server.js': 1, 'data/app.db': 5_000, 'uploads/.gitkeep': 0, 'src/data/x': 1, logs: 1 };
    expect(writablePlaces(manifest(files, { framework: 'node' }))).toEqual([
      { path: 'data', bytes: 2 * 4_096 + 64 * MEBIBYTE, isCopied: true },
      { path: 'uploads', bytes: 4_096 + 64 * MEBIBYTE, isCopied: true },
      { path: '.cache', bytes: 64 * MEBIBYTE, isCopied: false },
    ]);
    expect(paths(manifest({ 'data/large': 17 * MEBIBYTE, 'db/small': 1 }))).toEqual(['db', '.cache']);
    expect(paths(manifest({ 'data/x': 1 }, { links: { 'data/link': '../x' } }))).toEqual(['.cache']);
    const server = { command: ['node', 'server.js'], directory: 'apps/api' };
    expect(paths(manifest({ 'apps/api/db/x': 1, 'db/x': 1 }, { server }))).toEqual(['apps/api/db', '.cache']);
  });
});

describe('the working directory of a server', () => {
  it('shows what the deploy has in it, databases as copies, and can be written to', () => {
    const files = { 'server.js': 1, 'src/a.js': 1, 'src/b.js': 1, 'dev.sqlite': 9, 'data/x': 1, '.cache/x': 1 };
    expect(workingDirectory(manifest(files, { framework: 'node', links: { current: 'src' } }))).toEqual({
      path: '',
      bytes: 64 * MEBIBYTE,
      mounted: ['server.js', 'src', '.cache'],
      copied: ['dev.sqlite'],
      links: [['current', 'src']],
    });
    const server = { command: ['node', 'server.js'], directory: './apps/api/' };
    expect(
      workingDirectory(manifest({ 'apps/api/x.db/y': 1, 'apps/api/a': 1, 'other/b': 1 }, { server })),
    ).toMatchObject({ path: 'apps/api', mounted: ['apps/api/x.db', 'apps/api/a'], copied: [] });
  });

  it('stays read-only with too many names, behind a link, and for images', () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`file-${index}`, 1]));
    expect(workingDirectory(manifest(many))).toBeNull();
    const server = { command: ['node', 'server.js'], directory: 'app' };
    expect(workingDirectory(manifest({ 'x/a': 1 }, { server, links: { app: 'x' } }))).toBeNull();
    expect(workingDirectory(manifest({ a: 1 }, { kind: 'static', server: null }))).toBeNull();
    const image = { environment: {}, port: 80 };
    expect(workingDirectory(manifest({ a: 1 }, { server: { ...server, image } }))).toBeNull();
  });
});
