import { createHash, timingSafeEqual } from 'node:crypto';
import { S3Error } from '../s3-error.js';
import { hmac, sha256Hex } from '../signature/canonical.js';
import type { SignatureChain } from '../signature/signature-check.js';
import { ChunkReader } from './chunk-reader.js';

const CHUNK = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/;
const TRAILER = /^([a-z0-9-]{1,64}):([\x20-\x7e]{0,256})$/;
const TRAILER_SIGNATURE = 'x-amz-trailer-signature';
const MAX_TRAILERS = 8;
const NOTHING = sha256Hex('');

interface ChunkRules {
  /** Undefined for chunks that are not signed. */
  readonly chain: SignatureChain | undefined;
  /** The names of the trailers that the headers announce. */
  readonly trailers: readonly string[];
}

/** Decodes `aws-chunked`, and checks the signature of each chunk and of the trailers. */
export class ChunkedBody {
  /** What followed the last chunk. Empty until then. */
  readonly trailers = new Map<string, string>();
  private previous: string;

  constructor(
    private readonly source: AsyncIterable<Buffer>,
    private readonly rules: ChunkRules,
  ) {
    this.previous = rules.chain?.seed ?? '';
  }

  /** @throws {S3Error} */
  async *read(): AsyncGenerator<Buffer> {
    const reader = new ChunkReader(this.source);
    for (;;) {
      const [, hex, signature] = CHUNK.exec(await reader.line()) ?? [];
      const { chain } = this.rules;
      if (hex === undefined || (signature === undefined) !== (chain === undefined)) throw malformed();
      const size = Number.parseInt(hex, 16);
      if (chain === undefined) yield* reader.bytes(size);
      else {
        const hash = createHash('sha256');
        for await (const bytes of reader.bytes(size)) {
          hash.update(bytes);
          yield bytes;
        }
        this.check(chain, 'AWS4-HMAC-SHA256-PAYLOAD', `${NOTHING}\n${hash.digest('hex')}`, signature!);
      }
      if (size === 0) break;
      if ((await reader.line()) !== '') throw malformed();
    }
    await this.readTrailers(reader);
    await reader.end();
  }

  private async readTrailers(reader: ChunkReader): Promise<void> {
    const { chain, trailers: announced } = this.rules;
    let signed = '';
    for (;;) {
      const line = await reader.line();
      if (line === '') break;
      const [, name, value] = TRAILER.exec(line) ?? [];
      if (name === undefined || value === undefined || this.trailers.has(name)) throw malformed();
      if (this.trailers.size >= MAX_TRAILERS) throw malformed();
      if (name !== TRAILER_SIGNATURE && !announced.includes(name)) throw malformed();
      this.trailers.set(name, value.trim());
      if (name !== TRAILER_SIGNATURE) signed += `${name}:${value.trim()}\n`;
    }
    for (const name of announced) if (!this.trailers.has(name)) throw malformed();
    if (chain !== undefined && announced.length > 0)
      this.check(chain, 'AWS4-HMAC-SHA256-TRAILER', sha256Hex(signed), this.trailers.get(TRAILER_SIGNATURE) ?? '');
  }

  private check({ key, time, scope }: SignatureChain, kind: string, hashes: string, signature: string): void {
    const expected = hmac(key, `${kind}\n${time}\n${scope}\n${this.previous}\n${hashes}`);
    const given = Buffer.from(signature, 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
    this.previous = signature;
  }
}

const malformed = (): S3Error => new S3Error('InvalidRequest', 'The chunks of the body are malformed.');
