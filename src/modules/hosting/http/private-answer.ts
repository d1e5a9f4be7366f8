import type { ServerResponse } from 'node:http';

/** Headers that tell only shared caches what to store. */
const FOR_SHARED_CACHES = /^(?:surrogate-control|(?:[\w-]+-)?cdn-cache-control)$/i;
/** Directives that let shared caches store an answer, and the one that is added. */
const SHARED = /^(?:public|private|s-maxage(?:=.*)?)$/i;

type WriteHead = (status: number, ...rest: unknown[]) => ServerResponse;

/**
 * Keeps shared caches from storing the answer to a visitor of a protected host: whatever the app says of caching, its
 * answer becomes private. The browser of the visitor may still keep it.
 */
export function keepPrivate(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as WriteHead;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.at(-1);
    if (typeof headers !== 'object' || headers === null) return writeHead(status, ...rest, privateHeaders([]));
    const flat = Array.isArray(headers) ? (headers as string[]) : Object.entries(headers).flat();
    return writeHead(status, ...rest.slice(0, -1), privateHeaders(flat as string[]));
  };
}

/** @param headers names and values alternate. */
export function privateHeaders(headers: readonly string[]): string[] {
  const kept: string[] = [];
  const directives: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!;
    if (FOR_SHARED_CACHES.test(name)) continue;
    if (name.toLowerCase() === 'cache-control') directives.push(...directivesOf(value));
    else kept.push(name, value);
  }
  kept.push('Cache-Control', ['private', ...directives].join(', '));
  return kept;
}

const directivesOf = (value: string): string[] =>
  value
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !SHARED.test(directive));
