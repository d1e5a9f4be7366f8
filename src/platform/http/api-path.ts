import type { Request } from 'express';

/** True for requests to the public API, including unknown paths; false for the operator's endpoints and the pages. */
export function isApiCall({ path }: Request): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

/** Its messages are signed, come from few addresses, and are bounded by the endpoint itself. */
export const SECRET_SCANNING_PATH = 'api/v1/secret-scanning';

/**
 * True for requests that count against the caller's rate limit: calls of the API, requests of git, and messages of MCP
 * clients.
 */
export const isCountedCall = (request: Request): boolean =>
  (isApiCall(request) && request.path !== `/${SECRET_SCANNING_PATH}`) ||
  request.path.startsWith('/git/') ||
  request.path === '/mcp' ||
  request.path === '/mcp/anonymous';
