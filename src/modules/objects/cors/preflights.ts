import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CorsRule } from '../persistence/bucket-rows.js';
import {
  type CorsRequest,
  corsHeadersOf,
  CORS_VARY,
  preflightHeadersOf,
  requestedHeadersOf,
  ruleFor,
} from './cors-answer.js';

/** True for the question that a browser asks before a page of another origin may send a request. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** Answers a preflight by the rules of a bucket. Without a rule that allows it, or a bucket, the answer is the same. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, rules: readonly CorsRule[]): void {
  const asked = askedBy(request);
  const rule = asked === undefined ? undefined : ruleFor(rules, asked);
  if (asked === undefined || rule === undefined) {
    response.writeHead(403, { 'Content-Length': '0', Vary: CORS_VARY });
  } else response.writeHead(204, [...preflightHeadersOf(rule, asked), ['Vary', CORS_VARY]].flat());
  response.end();
}

/** Adds what a page of another origin may read of an answer. */
export function allowOrigin(request: IncomingMessage, response: ServerResponse, rules: readonly CorsRule[]): void {
  const { origin } = request.headers;
  response.setHeader('Vary', CORS_VARY);
  const rule = origin === undefined ? undefined : ruleFor(rules, { origin, method: request.method ?? '', headers: [] });
  if (rule === undefined) return;
  for (const [name, value] of corsHeadersOf(rule, origin!)) response.setHeader(name, value);
}

function askedBy({ headers }: IncomingMessage): CorsRequest | undefined {
  const names = requestedHeadersOf(headers['access-control-request-headers']);
  const { origin, 'access-control-request-method': method } = headers;
  if (names === undefined || origin === undefined || method === undefined) return undefined;
  return { origin, method, headers: names };
}
