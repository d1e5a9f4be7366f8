import fc from 'fast-check';
import { CHECKSUM_ALGORITHMS } from '../persistence/bucket-rows.js';
import { combinedCrc, type LinearAlgorithm } from './combined.js';
import { beginDigest, digestOf, isChecksum } from './digests.js';

const LINEAR: readonly LinearAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME'];

describe('checksums', () => {
  it('are those of the check values of their definitions', () => {
    const of = (algorithm: (typeof CHECKSUM_ALGORITHMS)[number]): string =>
      digestOf(algorithm, Buffer.from('123456789')).toString('hex');
    expect(of('CRC32')).toBe('cbf43926');
    expect(of('CRC32C')).toBe('e3069283');
    expect(of('CRC64NVME')).toBe('ae8b14860a799888');
    expect(of('SHA1')).toBe('f7c3bc1d808e04732adf679965ccc34ca7ae3441');
    expect(of('SHA256')).toBe('15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225');
  });

  it('do not depend on how the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHECKSUM_ALGORITHMS),
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
        (algorithm, pieces) => {
          const digest = beginDigest(algorithm);
          for (const piece of pieces) digest.update(piece);
          expect(digest.digest()).toEqual(digestOf(algorithm, Buffer.concat(pieces)));
        },
      ),
    );
  });

  it('of pieces combine to that of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...LINEAR),
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }),
        async (algorithm, pieces) => {
          const parts = pieces.map((piece) => ({
            checksum: digestOf(algorithm, piece).toString('base64'),
            size: piece.length,
          }));
          expect(await combinedCrc(algorithm, parts)).toBe(
            digestOf(algorithm, Buffer.concat(pieces)).toString('base64'),
          );
        },
      ),
    );
  });

  it('are recognized by their length in base64', () => {
    expect(isChecksum('CRC32', 'y/Q5Jg==')).toBe(true);
    expect(isChecksum('CRC32', 'y/Q5Jg')).toBe(false);
    expect(isChecksum('CRC32', 'AAAAAAAAAAA=')).toBe(false);
    expect(isChecksum('SHA256', '')).toBe(false);
  });
});
