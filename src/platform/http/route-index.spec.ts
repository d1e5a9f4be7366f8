import express, { type Express } from 'express';
import fc from 'fast-check';
import { RouteIndex } from './route-index.js';

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'] as const;

/** The route that Express itself would choose, by its number, and its parameters. */
function byExpress(app: Express, method: string, url: string): Promise<unknown> {
  return new Promise((resolve) => {
    const request = { method, url } as express.Request;
    const response = { answered: resolve } as unknown as express.Response;
    app.router(request, response, () => {
      resolve(undefined);
    });
  });
}

function applicationOf(templates: readonly { method: string; path: string }[]): Express {
  const app = express();
  app.enable('case sensitive routing');
  templates.forEach(({ method, path }, number) => {
    app[method.toLowerCase() as 'get'](path, (request, response) => {
      (response as unknown as { answered: (found: unknown) => void }).answered({
        number,
        params: { ...request.params },
      });
    });
  });
  return app;
}

describe('RouteIndex', () => {
  it('finds the same route and parameters as Express, or leaves the request to Express', async () => {
    const part = fc.constantFrom('a', 'b', 'A', ':x', ':y');
    const path = fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .uniqueArray(part, { minLength: 1, maxLength: 4, selector: (one) => (one.startsWith(':') ? one : {}) })
          .map((parts) => `/${parts.join('/')}`),
      },
      { weight: 1, arbitrary: fc.constantFrom('/a/*rest', '/a/b{/c}', '/', '/*all') },
    );
    const route = fc.record({ method: fc.constantFrom('GET', 'POST', 'DELETE'), path });
    const url = fc
      .array(fc.constantFrom('a', 'b', 'A', 'c', '', 'd%20e'), { minLength: 1, maxLength: 5 })
      .map((parts) => `/${parts.join('/')}`);
    let indexed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(route, { maxLength: 12 }),
        fc.constantFrom(...METHODS),
        url,
        async (routes, method, asked) => {
          const app = applicationOf(routes);
          const found = new RouteIndex(app.router.stack as unknown as ConstructorParameters<typeof RouteIndex>[0]).find(
            method,
            asked,
          );
          if (found === undefined) return;
          indexed++;
          const {
            entry: { params, order },
            parts,
          } = found;
          expect(await byExpress(app, method, asked)).toEqual({
            number: order,
            params: Object.fromEntries(params.map(({ name, at }) => [name, parts[at]])),
          });
        },
      ),
      { numRuns: 3_000 },
    );
    expect(indexed).toBeGreaterThan(50);
  });

  it('finds every plain path and leaves patterns, escapes and what comes after a pattern to Express', () => {
    const { router } = applicationOf([
      { method: 'GET', path: '/api/:id' },
      { method: 'GET', path: '/api/own' },
      { method: 'GET', path: '/git/*path' },
      { method: 'GET', path: '/git/known' },
    ]);
    const index = new RouteIndex(router.stack as unknown as ConstructorParameters<typeof RouteIndex>[0]);
    const orderOf = (path: string): number | undefined => index.find('GET', path)?.entry.order;
    expect(['/api/1', '/api/own', '/api/', '/api/1/2', '/api/%31', '/git/a', '/git/known'].map(orderOf)).toEqual([
      0,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
