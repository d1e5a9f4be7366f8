import type { Express } from 'express';
import { layersAfter, RouteIndex } from '../../src/platform/http/route-index.js';
import { useApp } from '../support/test-app.js';

interface RouteLayer {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method: string }[] };
}

describe('the index of routes', () => {
  const app = useApp({}, 'api');

  it('has every route of the API: no layer before them and no pattern keeps one with Express', () => {
    const layers = layersAfter(app.nest.getHttpAdapter().getInstance() as Express);
    const index = new RouteIndex(layers);
    const routes = (layers as unknown as RouteLayer[]).flatMap(({ route }) =>
      // IDs of models have slashes, which one part of a path cannot have: Express finds their route.
      route?.path.startsWith('/api/v1') && !route.path.includes('*')
        ? route.stack.map(({ method }) => ({ method: method.toUpperCase(), path: route.path }))
        : [],
    );
    expect(routes.length).toBeGreaterThan(50);
    const missing = routes.filter(
      ({ method, path }) => index.find(method, path.replace(/:\w+/g, 'one'))?.entry.route.path !== path,
    );
    expect(missing).toEqual([]);
  });
});
