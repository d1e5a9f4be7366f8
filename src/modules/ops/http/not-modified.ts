import { createHash } from 'node:crypto';
import { HttpStatus } from '@nestjs/common';
import type { Request, Response } from 'express';

/** Answers 304 without a body when the caller already has the current version. */
export function unlessUnchanged<T extends object>(body: T, request: Request, response: Response): T | undefined {
  const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 27)}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Cache-Control', 'no-cache');
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  if (!known.includes(etag) && !known.includes('*')) return body;
  response.status(HttpStatus.NOT_MODIFIED);
  return undefined;
}
