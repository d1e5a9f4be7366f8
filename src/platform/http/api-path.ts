import type { Request } from 'express';

/** Whether a request is for the public API, found or not; the operator surface and the pages are not. */
export function isApiCall({ path }: Request): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}
