import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from '../store/content-keys.js';

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Compression hardly shortens smaller answers. */
const MIN_BYTES = 1_024;
/** Larger text is rare and takes long to compress. */
const MAX_BYTES = 8 * 1_048_576;
/** For larger text, the best level of brotli would delay the deploy too much. */
const BEST_BELOW_BYTES = 128 * 1_024;
/** A variant is kept only if it saves at least a tenth. */
const MAX_RATIO = 0.9;

/** Returns the compressed variants of a text that are worth keeping. */
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
    ...(br.length < content.length * MAX_RATIO ? { br } : {}),
    ...(gzipped.length < content.length * MAX_RATIO ? { gzip: gzipped } : {}),
  };
}
