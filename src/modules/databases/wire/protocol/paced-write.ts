import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** Writes bytes, and resolves when the peer takes more or is gone. */
export async function writePaced(stream: Duplex, bytes: Buffer): Promise<void> {
  if (stream.write(bytes)) return;
  const gone = new AbortController();
  const { signal } = gone;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    gone.abort();
  }
}
