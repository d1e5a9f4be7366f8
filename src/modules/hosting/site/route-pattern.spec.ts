import fc from 'fast-check';
import { parse, pathToRegexp } from 'path-to-regexp';
import { RE2JS } from 're2js';
import { expandedSize } from './expression.js';
import { MatchBudget, RequestTooCostly } from './match-budget.js';
import { PlainPattern } from './plain-pattern.js';
import { RequestFacts } from './request-facts.js';
import { RouteConditions } from './route-condition.js';
import { RoutePattern } from './route-pattern.js';
import { Routes } from './routes.js';

const NONE = { redirects: [], rewrites: [], headers: [], cleanUrls: false, trailingSlash: null, notFound: null };
const facts = (headers: Record<string, string> = {}, query = ''): RequestFacts =>
  new RequestFacts('shop.localhost', query, headers);

describe('patterns of routes', () => {
  const piece = fc.constantFrom('/', '/a', '/ab', '/blog', '/:x', '/:y', '/user-:z', '.html', 'a', '/-', '.');
  const ending = fc.constantFrom('', '/:path*', '/:path+', '/(.*)', '(.*)', '/:last', '/');
  const source = fc
    .tuple(fc.array(piece, { maxLength: 5 }), ending)
    .map(([pieces, end]) => `/${pieces.join('')}${end}`.replace('//', '/'));
  const path = fc
    .array(fc.constantFrom('/', 'a', 'b', 'blog', '/a', '/ab', '/blog/x', 'user-', '.html', '-', '.', 'ü'), {
      maxLength: 8,
    })
    .map((parts) => `/${parts.join('')}`);

  it('match by hand what the engine for expressions matches, and catch the same', () => {
    let plain = 0;
    fc.assert(
      fc.property(source, fc.array(path, { minLength: 1, maxLength: 6 }), (text, paths) => {
        let pattern: PlainPattern | undefined;
        let expression: RegExp;
        try {
          pattern = PlainPattern.of(parse(text, { delimiter: '/' }));
          expression = pathToRegexp(text, [], { strict: true, sensitive: true, delimiter: '/' });
        } catch {
          return;
        }
        if (pattern === undefined) return;
        plain++;
        const engine = RE2JS.compile(expression.source);
        for (const each of paths) {
          const matcher = engine.matcher(each);
          const wanted = matcher.find()
            ? Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1) ?? '')
            : undefined;
          expect({ text, each, caught: pattern.match(each) }).toEqual({ text, each, caught: wanted });
        }
      }),
      { numRuns: 1_000 },
    );
    expect(plain).toBeGreaterThan(300);
  });

  it.each(['/old', '/blog/:slug', '/docs/:path*', '/:path+', '/(.*)', '/a/:b/c/:d'])(
    'need no engine as people write them: %s',
    (text) => {
      expect(RoutePattern.of(text).size).toBe(0);
    },
  );

  it.each([
    ['abc', 3],
    ['(?:ab){10}', 30],
    ['(?:(?:a{10}){10}){10}', 1_000],
    ['[0-9a-f]{8}-[0-9a-f]{4}', 13],
    ['a{2,50}', 50],
    ['\\{99}', 3],
    ['[{99}]', 1],
    ['a{x}', 4],
  ])('are measured before a program is made of them: %s', (text, least) => {
    expect(expandedSize(text)).toBeGreaterThanOrEqual(least);
    expect(expandedSize(text)).toBeLessThan(8 * least + 20);
  });

  it('are never measured below half of what their program is', () => {
    const atom = fc.constantFrom('a', '.', '[a-z]', '\\d', 'ab', '(a|b)', 'x?', 'y*');
    const repeat = fc.constantFrom('', '{3}', '{0,7}', '+', '{2,}');
    const sequence = fc
      .array(
        fc.tuple(atom, repeat).map(([each, times]) => `(?:${each})${times}`),
        { minLength: 1, maxLength: 4 },
      )
      .map((each) => each.join(''));
    const nested = fc.tuple(sequence, repeat, sequence).map(([inner, times, after]) => `(?:${inner})${times}${after}`);
    fc.assert(
      fc.property(nested, (text) => {
        expect(3 * expandedSize(text)).toBeGreaterThanOrEqual(RE2JS.compile(text).programSize() - 5);
      }),
    );
  });
});

describe('conditions of routes', () => {
  const hold = (condition: object, headers: Record<string, string> = {}, query = ''): boolean =>
    RouteConditions.of({ has: [condition as never] }).hold(facts(headers, query));

  it('look at cookies, the query, headers and the host', () => {
    expect(hold({ type: 'cookie', key: 'b', value: 'c=d' }, { cookie: 'a=1; b=c=d;e=' })).toBe(true);
    expect(hold({ type: 'cookie', key: 'e', value: '' }, { cookie: 'a=1; b=c=d;e=' })).toBe(true);
    expect(hold({ type: 'cookie', key: 'none' }, { cookie: 'none' })).toBe(false);
    expect(hold({ type: 'query', key: 'q', value: 'a b' }, {}, '?q=a+b')).toBe(true);
    expect(hold({ type: 'header', key: 'X-A', value: '(?:1|2)+' }, { 'x-a': '1212' })).toBe(true);
    expect(hold({ type: 'host', value: '.*\\.localhost' })).toBe(true);
  });

  it('take a header of cookies apart in one pass', () => {
    const cookie = ` ${'='.repeat(8_000)};${' '.repeat(8_000)}`;
    const start = performance.now();
    for (let round = 0; round < 200; round++) hold({ type: 'cookie', key: 'x', value: 'y' }, { cookie });
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('the budget of a request', () => {
  // They need so many states at once that the engine goes through them one by one, for each character.
  const redirects = Array.from({ length: 200 }, (_, index) => ({
    source: `/((?:a|b)*a(?:a|b){${10 + (index % 40)}}(?:c|d))`,
    destination: '/',
  }));
  const mixed = Array.from({ length: 2_000 }, (_, index) => 'ab'[((index * index * 7 + index * 13) % 11) % 2]).join('');
  const paths = [
    '/',
    `/${mixed}`,
    `/${mixed.slice(0, 500)}`,
    `/${'a'.repeat(2_000)}`,
    `/${'ab'.repeat(1_000)}`,
    `/${'ab'.repeat(300)}`,
  ];

  it('bounds what rules can cost, whatever they are and however many', async () => {
    const routes = await Routes.of({ ...NONE, redirects }, 'kept');
    const times: number[] = [];
    for (const path of paths) {
      for (let round = 0; round < 30; round++) {
        const start = performance.now();
        try {
          routes.redirectOf(path, facts());
        } catch (error) {
          expect(error).toBeInstanceOf(RequestTooCostly);
        }
        times.push(performance.now() - start);
      }
    }
    times.sort((one, other) => one - other);
    // A millisecond is what it is meant to take; this machine may be busy, and the first round is slow everywhere.
    // Without a budget most of these take some hundred.
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(10);
  });

  it('has room for a thousand honest rules and a few dozen expressions', async () => {
    const plain = Array.from({ length: 900 }, (_, index) => ({
      source: `/old/${index}/:slug`,
      destination: `/new/${index}/:slug`,
    }));
    const expressions = Array.from({ length: 60 }, (_, index) => ({
      source: `/:lang(en|de|fr)/p-${index}/:id(\\d+)`,
      destination: `/p/${index}/:id`,
    }));
    const routes = await Routes.of({ ...NONE, redirects: [...plain, ...expressions] }, 'new');
    for (let round = 0; round < 5; round++) {
      expect(routes.redirectOf('/old/899/shoes', facts())).toEqual({ status: 308, location: '/new/899/shoes' });
      expect(routes.redirectOf('/de/p-59/1234', facts())).toEqual({ status: 308, location: '/p/59/1234' });
      expect(routes.redirectOf(`/${'a'.repeat(200)}`, facts())).toBeUndefined();
    }
  });

  it('takes neither new rules that are too large nor too many of them, and keeps those that are there', async () => {
    const large = { ...NONE, redirects: [{ source: '/((?:a{30}){300})', destination: '/' }] };
    await expect(Routes.of(large, 'new')).rejects.toThrow(/too large/);
    const kept = await Routes.of(
      { ...large, redirects: [...large.redirects, { source: '/old', destination: '/new' }] },
      'kept',
    );
    expect(() => kept.redirectOf('/old', facts())).toThrow(RequestTooCostly);

    const many = {
      ...NONE,
      headers: Array.from({ length: 1_000 }, () => ({
        source: '/(.*)',
        headers: [{ key: 'x-a', value: 'a'.repeat(400) }],
      })),
    };
    await expect(Routes.of(many, 'new')).rejects.toThrow(/262144 bytes/);
    const together = {
      ...NONE,
      redirects: Array.from({ length: 100 }, () => ({ source: '/((?:ab{20}){20})', destination: '/' })),
    };
    await expect(Routes.of(together, 'new')).rejects.toThrow(/together/);
  });

  it('charges no more than the worst that work can take', () => {
    const budget = new MatchBudget();
    const slow = (): void => {
      const until = performance.now() + 5;
      while (performance.now() < until);
    };
    for (let round = 0; round < 10; round++) budget.run(1_000, slow);
    expect(() => {
      budget.run(1_000_000, slow);
    }).toThrow(RequestTooCostly);
  });
});
