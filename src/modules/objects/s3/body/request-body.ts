import type { IncomingMessage } from 'node:http';
import { isChecksum } from '../../checksums/digests.js';
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from '../../persistence/bucket-rows.js';
import { type BodyChecksum, MeasuringBody, type ObjectBody } from '../../writes/object-body.js';
import { S3Error } from '../s3-error.js';
import type { SignatureChain } from '../signature/signature-check.js';
import { ChunkedBody } from './chunked-body.js';

const STREAMING = /^STREAMING-(?:AWS4-HMAC-SHA256-PAYLOAD|UNSIGNED-PAYLOAD)(-TRAILER)?$/;
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const HASH = /^[0-9a-f]{64}$/;

export const checksumHeaderOf = (algorithm: ChecksumAlgorithm): string => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** The body of a request, which its signature covers in one of several ways. */
export class RequestBody {
  constructor(
    private readonly request: IncomingMessage,
    private readonly payload: string,
    private readonly chain: SignatureChain,
  ) {}

  /** True when bytes follow that have not been read. */
  get isPending(): boolean {
    return !this.request.complete;
  }

  /**
   * Returns the body as the bytes of an object.
   *
   * @param algorithm what to compute when the request has no checksum.
   * @throws {S3Error}
   */
  ofObject(algorithm?: ChecksumAlgorithm | null): ObjectBody {
    const { headers } = this.request;
    // The caller gets its answer although the body is not read to its end.
    const raw = this.request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const md5 = md5Of(headers['content-md5']);
    const [, hasTrailer] = STREAMING.exec(this.payload) ?? [];
    const announced = headerChecksumOf(headers);
    if (STREAMING.test(this.payload)) {
      const trailers = hasTrailer === undefined ? [] : trailersOf(headers['x-amz-trailer']);
      const chunks = new ChunkedBody(raw, {
        chain: this.payload.startsWith('STREAMING-AWS4') ? this.chain : undefined,
        trailers,
      });
      return {
        size: lengthOf(headers['x-amz-decoded-content-length']),
        bytes: chunks.read(),
        md5,
        checksum: announced ?? trailerChecksumOf(trailers, chunks) ?? computed(algorithm),
      };
    }
    const size = lengthOf(headers['content-length']);
    const checksum = announced ?? computed(algorithm);
    if (this.payload === UNSIGNED) return { size, bytes: raw, md5, checksum };
    if (!HASH.test(this.payload))
      throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is not one of the values that S3 has.');
    const signed = { sha256: this.payload, fault: () => new S3Error('XAmzContentSHA256Mismatch') };
    return { size, bytes: raw, md5, checksum, signed };
  }

  /** Returns a small body as text. @throws {S3Error} */
  async text(maxBytes: number): Promise<string> {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.request.headers;
    if (length === undefined && encoding === undefined) return '';
    const body = this.ofObject();
    if (body.size > maxBytes) throw new S3Error('MaxMessageLengthExceeded');
    const pieces: Buffer[] = [];
    for await (const bytes of new MeasuringBody(body).read()) pieces.push(bytes);
    return Buffer.concat(pieces).toString();
  }
}

function lengthOf(header: string | string[] | undefined): number {
  if (header === undefined) throw new S3Error('MissingContentLength');
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) throw new S3Error('InvalidArgument');
  return Number(header);
}

function md5Of(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bytes = Buffer.from(String(header), 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== header) throw new S3Error('InvalidDigest');
  return bytes.toString('hex');
}

function headerChecksumOf(headers: IncomingMessage['headers']): BodyChecksum | undefined {
  const found = CHECKSUM_ALGORITHMS.filter((algorithm) => headers[checksumHeaderOf(algorithm)] !== undefined);
  if (found.length > 1) throw new S3Error('InvalidRequest', 'Send one checksum.');
  const [algorithm] = found;
  if (algorithm === undefined) return undefined;
  const value = String(headers[checksumHeaderOf(algorithm)]);
  if (!isChecksum(algorithm, value)) throw new S3Error('InvalidDigest');
  return { algorithm, announced: () => value };
}

function trailerChecksumOf(trailers: readonly string[], chunks: ChunkedBody): BodyChecksum | undefined {
  const algorithm = CHECKSUM_ALGORITHMS.find((each) => trailers.includes(checksumHeaderOf(each)));
  return algorithm && { algorithm, announced: () => chunks.trailers.get(checksumHeaderOf(algorithm)) };
}

const computed = (algorithm: ChecksumAlgorithm | null | undefined): BodyChecksum | undefined =>
  algorithm == null ? undefined : { algorithm, announced: () => undefined };

const trailersOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
