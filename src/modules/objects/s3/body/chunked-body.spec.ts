import fc from 'fast-check';
import { hmac, sha256Hex } from '../signature/canonical.js';
import type { SignatureChain } from '../signature/signature-check.js';
import { ChunkedBody } from './chunked-body.js';

const SECRET = 'AWS4wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const CHAIN: SignatureChain = {
  key: hmac(hmac(hmac(hmac(SECRET, '20130524'), 'us-east-1'), 's3'), 'aws4_request'),
  time: '20130524T000000Z',
  scope: '20130524/us-east-1/s3/aws4_request',
  seed: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
};

/** The example of AWS' documentation: 66,560 letters in two chunks. */
const EXAMPLE = Buffer.from(
  '10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n' +
    `${'a'.repeat(65_536)}\r\n` +
    `400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n${'a'.repeat(1_024)}\r\n` +
    '0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n',
);

/** Another one: the same letters, with a signed checksum behind them. */
const WITH_TRAILER = {
  chain: { ...CHAIN, seed: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e' },
  trailers: ['x-amz-checksum-crc32c'],
  chunks:
    '10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n' +
    `${'a'.repeat(65_536)}\r\n` +
    `400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n${'a'.repeat(1_024)}\r\n` +
    '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n',
  checksum: 'x-amz-checksum-crc32c:sOO8/Q==\r\n',
  signature: 'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n',
} as const;

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

interface Decoding {
  readonly chain?: SignatureChain | null;
  readonly trailers?: string[];
  readonly size?: number;
}

async function decoded(bytes: Buffer, { chain = CHAIN, trailers = [], size = 4_096 }: Decoding = {}): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const piece of new ChunkedBody(pieces(bytes, size), { chain: chain ?? undefined, trailers }).read())
    found.push(piece);
  return Buffer.concat(found);
}

/** Signs chunks as AWS describes it. */
function signed(chunks: readonly Buffer[]): Buffer[] {
  let previous = CHAIN.seed;
  return [...chunks, Buffer.alloc(0)].map((chunk) => {
    const hashes = [sha256Hex(''), sha256Hex(chunk.toString('latin1'))];
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', CHAIN.time, CHAIN.scope, previous, ...hashes].join('\n');
    previous = hmac(CHAIN.key, text).toString('hex');
    return Buffer.concat([
      Buffer.from(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ]);
  });
}

describe('aws-chunked', () => {
  it('reads the example of AWS, however it is cut', async () => {
    for (const size of [1_000, 65_536, 100_000])
      expect((await decoded(EXAMPLE, { size })).equals(Buffer.alloc(66_560, 'a'))).toBe(true);
    expect(
      (
        await decoded(EXAMPLE.subarray(-86), {
          chain: { ...CHAIN, seed: '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497' },
          size: 1,
        })
      ).length,
    ).toBe(0);
  });

  it('refuses any change of a byte, of a size, and of the order of chunks', async () => {
    const inputs = fc.record({
      chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 }),
      change: fc.constantFrom('flip', 'drop', 'repeat', 'swap', 'append', 'cut'),
      at: fc.nat(),
      bit: fc.integer({ min: 0, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(inputs, async ({ chunks, change, at, bit }) => {
        const parts = signed(chunks.map((chunk) => Buffer.from(chunk)));
        const plain = Buffer.concat(chunks);
        const whole = Buffer.concat(parts);
        expect((await decoded(whole, { size: 7 })).equals(plain)).toBe(true);
        const changed = changedBy(parts, change, at, bit);
        fc.pre(!changed.equals(whole));
        const result = await decoded(changed, { size: 7 }).catch(() => undefined);
        // Hexadecimal sizes may be written in capital letters.
        if (result !== undefined)
          expect(changed.toString('latin1').toLowerCase()).toBe(whole.toString('latin1').toLowerCase());
      }),
      { numRuns: 500 },
    );
  });

  it('reads unsigned chunks with the trailers that are announced, and no others', async () => {
    const body = Buffer.from('3\r\nabc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n');
    const trailers = ['x-amz-checksum-crc32'];
    expect((await decoded(body, { chain: null, trailers })).toString()).toBe('abc');
    for (const wrong of [{ chain: null }, { trailers }, { chain: null, trailers: [...trailers, 'other'] }])
      await expect(decoded(body, wrong)).rejects.toThrow();
  });

  it('reads signed trailers as the example of AWS has them, however they are cut', async () => {
    const { chain, trailers, chunks, checksum, signature } = WITH_TRAILER;
    const whole = Buffer.from(`${chunks}${checksum}${signature}\r\n`);
    for (const size of [1_000, 65_536, 100_000]) {
      const body = new ChunkedBody(pieces(whole, size), { chain, trailers });
      let count = 0;
      for await (const piece of body.read()) count += piece.length;
      expect([count, body.trailers.get('x-amz-checksum-crc32c')]).toEqual([66_560, 'sOO8/Q==']);
    }
  });

  it.each([
    ['another value', 'x-amz-checksum-crc32c:sOO8/A==\r\n', WITH_TRAILER.signature],
    ['another name', 'x-amz-checksum-crc32:sOO8/Q==\r\n', WITH_TRAILER.signature],
    ['a trailer that is missing', '', WITH_TRAILER.signature],
    ['a trailer that is there twice', WITH_TRAILER.checksum.repeat(2), WITH_TRAILER.signature],
    ['a trailer that was not announced', `${WITH_TRAILER.checksum}x-amz-meta-a:b\r\n`, WITH_TRAILER.signature],
    ['no signature', WITH_TRAILER.checksum, ''],
    ['an empty signature', WITH_TRAILER.checksum, 'x-amz-trailer-signature:\r\n'],
    ['another signature', WITH_TRAILER.checksum, WITH_TRAILER.signature.replace('d81f', 'd81e')],
    ['two signatures', WITH_TRAILER.checksum, WITH_TRAILER.signature.repeat(2)],
    ['the signature of a chunk', WITH_TRAILER.checksum, `x-amz-trailer-signature:${CHAIN.seed}\r\n`],
  ])('refuses signed trailers with %s', async (_what, checksum, signature) => {
    const { chain, trailers, chunks } = WITH_TRAILER;
    const changed = Buffer.from(`${chunks}${checksum}${signature}\r\n`);
    await expect(decoded(changed, { chain, trailers: [...trailers] })).rejects.toThrow();
  });

  it.each([
    ['bytes behind the end', '0\r\n\r\nx'],
    ['no end', '3\r\nabc\r\n'],
    ['a size that is none', 'x\r\n'],
    ['a size with a sign', '-1\r\n'],
    ['a line without an end', 'a'.repeat(2_000)],
    ['a line that ends with LF alone', '0\n\n'],
    ['a chunk that is longer than its size', '2\r\nabc\r\n0\r\n\r\n'],
    ['a chunk that is shorter than its size', '4\r\nabc\r\n0\r\n\r\n'],
    ['an extension', '3;a=b\r\nabc\r\n0\r\n\r\n'],
  ])('refuses %s', async (_what, body) => {
    await expect(decoded(Buffer.from(body), { chain: null })).rejects.toThrow();
  });
});

function changedBy(parts: readonly Buffer[], change: string, at: number, bit: number): Buffer {
  const whole = Buffer.concat(parts);
  const index = at % parts.length;
  switch (change) {
    case 'flip': {
      const copy = Buffer.from(whole);
      copy[at % copy.length]! ^= 1 << bit;
      return copy;
    }
    case 'drop':
      return Buffer.concat(parts.filter((_, each) => each !== index));
    case 'repeat':
      return Buffer.concat(parts.flatMap((part, each) => (each === index ? [part, part] : [part])));
    case 'swap':
      return Buffer.concat([...parts.slice(index), ...parts.slice(0, index)]);
    case 'append':
      return Buffer.concat([whole, parts[index]!]);
    default:
      return whole.subarray(0, at % whole.length);
  }
}
