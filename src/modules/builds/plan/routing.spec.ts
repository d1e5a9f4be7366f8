import fc from 'fast-check';

import { routingOf } from './routing.js';

const NOTHING = {
  vercel: null,
  netlify: null,
  hasServer: false,
  redirects: null,
  headers: null,
  notFound: null,
  fallback: null,
  base: null,
};
const reported: string[] = [];
const routing = (sources: Partial<Parameters<typeof routingOf>[0]>): ReturnType<typeof routingOf> =>
  routingOf({ ...NOTHING, ...sources }, (text) => {
    reported.push(text);
  });
const msOf = (work: () => void): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

beforeEach(() => {
  reported.length = 0;
});

describe('routing files of a repository', () => {
  it('lead from the top to the path that the pages are built for, after what the repository says', () => {
    const { redirects } = routing({ base: '/shop', redirects: '/ /welcome\n' });
    expect(redirects).toMatchObject([
      { source: '/', destination: '/welcome' },
      { source: '/', destination: '/shop/', statusCode: 307 },
    ]);
    expect(routing({}).redirects).toEqual([]);
  });

  it('have one redirect or rewrite on each line, with comments and spaces', () => {
    const { redirects, rewrites } = routing({
      redirects:
        '# moved\n/news/*  /blog/:splat 302!\r\n\t/a\t /b  \n/app/* /index.html 200\nnonsense\n/x //elsewhere\n',
    });
    expect(redirects).toEqual([
      { source: '/news/:splat*', destination: '/blog/:splat*', statusCode: 302, has: [], missing: [] },
      { source: '/a', destination: '/b', statusCode: 301, has: [], missing: [] },
    ]);
    expect(rewrites).toEqual([{ source: '/app/:splat*', destination: '/index.html', has: [], missing: [] }]);
    expect(reported).toHaveLength(2);
  });

  it('that rewrite to another host say so, each with its file and the page that explains it', () => {
    const sources = {
      vercel: JSON.stringify({ rewrites: [{ source: '/v/:x', destination: 'https://v.example/:x' }] }),
      redirects: '/r/* https://r.example/:splat 200',
      netlify: '[[redirects]]\nfrom = "/n/*"\nto = "https://n.example/:splat"\nstatus = 200\n',
    };
    expect(routing(sources)).toMatchObject({ rewrites: [], redirects: [] });
    expect(reported).toEqual(
      ['vercel.json', '_redirects', 'netlify.toml'].map((file) =>
        expect.stringMatching(
          new RegExp(`example/\\S+ in ${file.replace('.', '\\.')} was left out: .* See /docs/builds#routing\\.$`),
        ),
      ),
    );
  });

  it('have headers below paths', () => {
    const { headers } = routing({
      headers:
        '/*\n  X-Frame-Options : DENY \r\n\tX-Time: 10:30\n  X-Empty:\nX-Not-Indented: 1\n  bad name: 1\n/none\n',
    });
    expect(headers).toEqual([
      {
        source: '/(.*)',
        has: [],
        missing: [],
        headers: [
          { key: 'X-Frame-Options', value: 'DENY' },
          { key: 'X-Time', value: '10:30' },
          { key: 'X-Empty', value: '' },
        ],
      },
    ]);
    expect(reported).toHaveLength(2);
  });

  it.each([
    ['spaces before a colon that never comes', `/*\n ${' '.repeat(30_000)}x`],
    ['spaces within a value', `/*\n X: a${' '.repeat(30_000)}b`],
    ['a name without an end', `/*\n ${'x'.repeat(30_000)}`],
    ['one long path', `/${'*'.repeat(30_000)}`],
    ['thousands of lines that hold nothing', `/*\n${'  x\n'.repeat(50_000)}`],
    ['a whole file of spaces', ' '.repeat(262_144)],
  ])('are read in time proportional to their length: %s', (_, text) => {
    const honest = `/*\n${'  X-Frame-Options: DENY\n'.repeat(1_000)}`;
    const honestMs = Math.max(
      5,
      msOf(() => {
        routing({ headers: honest, redirects: honest });
      }),
    );
    // Patterns that backtrack took nine seconds for one such line.
    expect(
      msOf(() => {
        routing({ headers: text, redirects: text });
      }),
    ).toBeLessThan(100 * honestMs);
  });

  it('are left out with a note when a line or the file is too long', () => {
    const { headers } = routing({ headers: `/*\n  X-A: ${'a'.repeat(9_000)}\n  X-B: b\n` });
    expect(headers[0]!.headers).toEqual([{ key: 'X-B', value: 'b' }]);
    expect(routing({ headers: '/*\n  X-A: a\n'.repeat(30_000) }).headers).toEqual([]);
    expect(reported).toEqual([
      expect.stringMatching(/more than 8500 characters/),
      expect.stringMatching(/more than 262144 characters/),
    ]);
  });

  it('report at most 51 notes', () => {
    routing({ redirects: 'nonsense\n'.repeat(10_000) });
    expect(reported).toHaveLength(51);
  });

  it('never make anything throw', () => {
    const piece = fc.oneof(
      fc.constantFrom('/', '*', ':', ' ', '\t', '\n', '\r\n', '#', '301', ':splat', 'X-A', '!'),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
        (text) => {
          const { redirects, rewrites, headers } = routing({
            redirects: text,
            headers: text,
            vercel: text,
            netlify: text,
          });
          for (const { source } of [...redirects, ...rewrites, ...headers]) expect(source.startsWith('/')).toBe(true);
        },
      ),
    );
  });
});
