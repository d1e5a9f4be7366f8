import type { Request } from 'express';

/** Whether a request is for the public API, found or not; the operator surface and the pages are not. */
export function isApiCall({ path }: Request): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

/** Whether a request is counted on its caller's budget: calls of the API, and what git asks for. */
export const isCountedCall = (request: Request): boolean => isApiCall(request) || request.path.startsWith('/git/');
