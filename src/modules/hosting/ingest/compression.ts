import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from '../store/artifact-store.js';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Below it a compressed answer is hardly shorter on the wire. */
const MIN_BYTES = 1_024;
/** Larger text is rare, and takes long. */
const MAX_BYTES = 8 * 1_048_576;
/** Above it the best level of brotli takes longer than anybody wants to wait for a deploy. */
const BEST_BELOW_BYTES = 128 * 1_024;
/** A variant is kept for what it saves. */
const WORTH_IT = 0.9;

/** The variants of a text that are worth keeping. */
export async function variantsOf(content: Buffer, isText: boolean): Promise<Partial<Record<Encoding, Buffer>>> {
  if (!isText || content.length < MIN_BYTES || content.length > MAX_BYTES) return {};
  const quality = content.length < BEST_BELOW_BYTES ? 9 : 5;
  const [br, gzipped] = await Promise.all([
    toBrotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
    toGzip(content, { level: 6 }),
  ]);
  return {
    ...(br.length < content.length * WORTH_IT ? { br } : {}),
    ...(gzipped.length < content.length * WORTH_IT ? { gzip: gzipped } : {}),
  };
}
