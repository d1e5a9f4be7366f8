import type { Request } from 'express';
import { CallerHungUp } from '../errors/caller-hung-up.js';
import { PayloadTooLarge } from './http.errors.js';

/** The bytes of a body as they were sent. @throws {PayloadTooLarge} `payload_too_large` */
export async function rawBodyOf(request: Request, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new PayloadTooLarge(limitBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw new PayloadTooLarge(limitBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof PayloadTooLarge ? error : new CallerHungUp();
  }
  return Buffer.concat(chunks);
}
