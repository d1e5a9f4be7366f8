import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';

/** The part of a layer of Express' router that is used here: middleware, or a route with a handler for each method. */
interface Layer {
  readonly rawPath: unknown;
  readonly slash: boolean;
  readonly route?: Route;
}

interface Route {
  readonly path: string;
  readonly stack: readonly { readonly method: string | undefined; readonly handle: RequestHandler }[];
}

interface Entry {
  readonly route: Route;
  readonly handler: RequestHandler;
  /** Which segment of the path is which parameter. */
  readonly params: readonly { readonly name: string; readonly at: number }[];
  /** When several layers match a path, the first one wins. */
  readonly order: number;
}

interface Branch {
  readonly literal: Map<string, Branch>;
  param: Branch | undefined;
  readonly entries: Map<string, Entry>;
}

/** Matches paths of plain segments and whole-segment parameters. Express handles every other pattern. */
const SIMPLE = /^\/$|^(?:\/(?::\w+|[\w.~-]+))+$/;

/**
 * Finds the route of a request by the segments of its path, while Express tries one route after the other. Routes are
 * still declared in Express, which handles what is not found here: `OPTIONS`, unknown paths, escapes, patterns.
 */
export class RouteIndex {
  private readonly root = branch();
  /** The path prefixes of layers that are not indexed, with the position of each layer. */
  private readonly taken: { readonly prefix: string; readonly order: number }[] = [];

  constructor(layers: readonly Layer[]) {
    for (const [order, layer] of layers.entries()) this.add(layer, order);
  }

  find(method: string, path: string): { readonly entry: Entry; readonly parts: readonly string[] } | undefined {
    if (path.includes('%')) return undefined;
    const parts = path.split('/');
    const entry = firstOf(this.root, parts, 1, method);
    if (entry === undefined || this.taken.some(({ prefix, order }) => order < entry.order && path.startsWith(prefix)))
      return undefined;
    return { entry, parts };
  }

  private add({ rawPath, slash, route }: Layer, order: number): void {
    if (route === undefined || typeof route.path !== 'string' || !SIMPLE.test(route.path)) {
      this.taken.push({ prefix: slash ? '/' : plainBeginningOf(rawPath), order });
      return;
    }
    const parts = route.path.split('/');
    const end = parts
      .slice(1)
      .reduce((at, part) => (part.startsWith(':') ? (at.param ??= branch()) : literalOf(at, part)), this.root);
    const params = parts.flatMap((part, at) => (part.startsWith(':') ? [{ name: part.slice(1), at }] : []));
    for (const { method, handle } of route.stack) {
      const name = method?.toUpperCase() ?? '';
      // Several handlers of a route are chained by `next`, which Express handles.
      if (route.stack.length > 1 || name === '') this.taken.push({ prefix: plainBeginningOf(route.path), order });
      else if (!end.entries.has(name)) end.entries.set(name, { route, handler: handle, params, order });
    }
  }
}

/**
 * The index as middleware, which must be the last one before the routes. It is built at the first request, when all
 * routes are registered.
 */
export function indexedRoutes(app: Express): RequestHandler {
  let index: RouteIndex | undefined;
  return function findRoute(request: Request, response: Response, next: NextFunction): unknown {
    index ??= new RouteIndex(layersAfter(app));
    const found = index.find(request.method, request.path);
    if (found === undefined) {
      next();
      return;
    }
    const {
      entry: { route, handler, params },
      parts,
    } = found;
    request.route = route;
    request.params = {};
    for (const { name, at } of params) request.params[name] = parts[at]!;
    return handler(request, response, next);
  };
}

/** Returns the layers of the router that come after the index. */
export function layersAfter({ router }: Express): Layer[] {
  const stack = router.stack as unknown as (Layer & { readonly name: string })[];
  return stack.slice(stack.findIndex(({ name }) => name === 'findRoute') + 1);
}

/** Returns the entry that Express would reach first. A HEAD is answered by the GET route unless it has its own. */
function firstOf(from: Branch, parts: readonly string[], at: number, method: string): Entry | undefined {
  if (at === parts.length) return from.entries.get(method) ?? (method === 'HEAD' ? from.entries.get('GET') : undefined);
  const part = parts[at]!;
  const literal = from.literal.get(part);
  const one = literal && firstOf(literal, parts, at + 1, method);
  const other = from.param && part !== '' ? firstOf(from.param, parts, at + 1, method) : undefined;
  if (one === undefined || other === undefined) return one ?? other;
  return one.order < other.order ? one : other;
}

const branch = (): Branch => ({ literal: new Map(), param: undefined, entries: new Map() });

function literalOf(at: Branch, part: string): Branch {
  let next = at.literal.get(part);
  if (next === undefined) at.literal.set(part, (next = branch()));
  return next;
}

/** Returns the prefix that every path matched by the pattern has. */
function plainBeginningOf(pattern: unknown): string {
  return typeof pattern === 'string' ? /^[\w/.~-]*/.exec(pattern)![0] : '';
}
