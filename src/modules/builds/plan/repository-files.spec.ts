import fc from 'fast-check';

import { inspectionOf } from './inspection.js';
import { repositoryFilesOf } from './repository-files.js';
import { routingOf } from './routing.js';

const notes: string[] = [];
const read = (files: { vercel?: object | string; netlify?: string }): ReturnType<typeof repositoryFilesOf> => {
  notes.length = 0;
  const vercel = typeof files.vercel === 'object' ? JSON.stringify(files.vercel) : files.vercel;
  return repositoryFilesOf(inspectionOf({ found: true, ...files, vercel }), (text) => {
    notes.push(text);
  });
};
const NETLIFY = `
[build]
  command = "npm run docs"
  publish = "./site/"
  base = "web"
[build.environment]
  NODE_VERSION = "22"
[[redirects]]
  from = "/old/*"
  to = "/new/:splat"
  status = 302
[[redirects]]
  from = "/api/*"
  to = "https://api.example.com/:splat"
  status = 200
[[headers]]
  for = "/*"
  [headers.values]
  X-Frame-Options = "DENY"
[functions]
  directory = "f"
`;

describe('the settings of vercel.json and netlify.toml', () => {
  it('are commands, a directory, a framework by any of its names, and crons', () => {
    const { settings, crons } = read({
      vercel: {
        $schema: 'x',
        buildCommand: 'make',
        installCommand: '',
        outputDirectory: './out/',
        framework: 'nuxtjs',
        crons: [
          { path: '/api/day', schedule: '0 5 * * *' },
          { path: 'x', schedule: '* * * * *' },
        ],
      },
    });
    expect(settings).toEqual({ buildCommand: 'make', installCommand: '', outputDirectory: 'out', framework: 'nuxt' });
    expect(crons).toEqual([{ path: '/api/day', schedule: '0 5 * * *' }]);
    expect(notes).toEqual([expect.stringMatching(/^An entry of crons in vercel.json was left out/)]);
  });

  it('come from vercel.json first', () => {
    const { settings, node } = read({ vercel: { buildCommand: 'make' }, netlify: NETLIFY });
    expect(settings).toEqual({ buildCommand: 'make', outputDirectory: 'site' });
    expect(node).toBe('22');
    expect(notes).toEqual([
      expect.stringMatching(/^"functions" of netlify.toml is not supported. There are no functions/),
      expect.stringMatching(/^"build.base" of netlify.toml is not used/),
    ]);
  });

  it.each(['functions', 'images', 'regions', 'builds', 'env', 'newPart'])('leave out "%s" with one line', (part) => {
    read({ vercel: { [part]: {} } });
    expect(notes).toEqual([expect.stringContaining(`"${part}" of vercel.json is not supported.`)]);
  });

  it.each(['../out', '/', '.', 'a/../../b', '.git', 'a\\b'])(
    'never lead out of the root directory: %s',
    (outputDirectory) => {
      expect(read({ vercel: { outputDirectory } }).settings).toEqual({});
      expect(notes).toHaveLength(1);
    },
  );

  it('never make anything throw', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (vercel, netlify) => {
        read({ vercel, netlify });
        read({ vercel: `{"crons":${vercel},"outputDirectory":${vercel},"framework":${vercel}}`, netlify });
      }),
    );
  });
});

describe('the routing rules of netlify.toml', () => {
  it('are redirects, rewrites and headers; what leads to other hosts is left out with a line', () => {
    const lines: string[] = [];
    const nothing = { vercel: null, redirects: null, headers: null, notFound: null, fallback: null, base: null };
    const sources = { ...nothing, hasServer: false };
    const { redirects, rewrites, headers } = routingOf({ ...sources, netlify: NETLIFY }, (text) => lines.push(text));
    expect(redirects).toMatchObject([{ source: '/old/:splat*', destination: '/new/:splat*', statusCode: 302 }]);
    expect(rewrites).toEqual([]);
    expect(headers).toMatchObject([{ source: '/(.*)', headers: [{ key: 'X-Frame-Options', value: 'DENY' }] }]);
    expect(lines).toHaveLength(1);
  });

  it('of vercel.json to another host or a function are left out with a line', () => {
    const lines: string[] = [];
    const vercel = JSON.stringify({
      rewrites: [
        { source: '/p/:x', destination: 'https://example.com/:x' },
        { source: '/(.*)', destination: '/api' },
        { source: '/a', destination: '/b' },
      ],
    });
    const sources = {
      vercel,
      netlify: null,
      redirects: null,
      headers: null,
      notFound: null,
      fallback: null,
      base: null,
    };
    expect(routingOf({ ...sources, hasServer: true }, (text) => lines.push(text)).rewrites).toMatchObject([
      { source: '/a' },
    ]);
    expect(lines.join('\n')).toMatch(/another host[^]*builds#routing\.[^]*there are no functions/);
  });
});
