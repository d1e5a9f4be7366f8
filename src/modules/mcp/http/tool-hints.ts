import { TOOL_FILES } from '../tools/all-tools.js';

const ENDPOINT = /\b(?:GET|POST|PUT|PATCH|DELETE) \/api\/v1\/[\w/{}-]*[\w}]/g;

/** The first tool of an endpoint that two tools have. */
const NAMES: ReadonlyMap<string, string> = new Map(
  TOOL_FILES.flatMap(({ tools }) => tools)
    .map(({ method, path, name }) => [`${method} ${path}`, name] as const)
    .reverse(),
);

/** Names tools in place of their endpoints in the hint of an error, because a model calls tools. */
export function withToolNames(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const error = body['error'] as { readonly hint?: unknown } | null | undefined;
  if (typeof error?.hint !== 'string') return body;
  const hint = error.hint.replace(ENDPOINT, (endpoint) => {
    const name = NAMES.get(endpoint);
    return name === undefined ? endpoint : `the tool ${name}`;
  });
  return { ...body, error: { ...error, hint } };
}
