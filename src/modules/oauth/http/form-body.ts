import type { IncomingMessage } from 'node:http';
import { isForm } from '../../../platform/http/form-type.js';

const MAX_BYTES = 16_384;
const WITHIN_MS = 10_000;

/** Reads the fields of a form. Returns undefined when the body is none, is too large, or does not arrive in time. */
export async function formOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!isForm(request)) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = setTimeout(() => request.destroy(), WITHIN_MS).unref();
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return undefined;
      chunks.push(chunk);
    }
    return new URLSearchParams(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
  }
}
