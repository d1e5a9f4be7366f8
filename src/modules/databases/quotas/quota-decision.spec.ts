import fc from 'fast-check';
import { decideQuota, MAX_OVERRIDES, type QuotaFacts } from './quota-decision.js';

const facts = (input: Partial<QuotaFacts> = {}): QuotaFacts => ({
  sizeBytes: 50n,
  quotaBytes: 100n,
  diskBytes: 60n,
  undrainedBytes: 1n,
  bounds: { diskBytes: 400n, undrainedBytes: 40n },
  isPaid: true,
  because: null,
  overrides: 0,
  ...input,
});

describe('what a database may do by its size and the credits of its organization', () => {
  it.each<[string, Partial<QuotaFacts>, object]>([
    ['within the quota', {}, { because: null, restriction: 'none', endsWriters: false }],
    ['exactly full', { sizeBytes: 100n }, { because: null, restriction: 'none' }],
    ['beyond', { sizeBytes: 101n }, { because: 'quota', restriction: 'read_only', endsWriters: false }],
    ['at 110 %', { sizeBytes: 110n }, { restriction: 'read_only', endsWriters: false }],
    ['beyond 110 %', { sizeBytes: 111n }, { restriction: 'read_only', endsWriters: true }],
    ['the third time', { sizeBytes: 111n, overrides: 3 }, { restriction: 'reader_only', endsWriters: false }],
    ['within again', { overrides: 3 }, { because: null, restriction: 'none', overrides: 0 }],
    ['without credits', { isPaid: false }, { because: 'credits', restriction: 'read_only', endsWriters: false }],
    [
      'with too much on the disk',
      { diskBytes: 401n },
      { because: 'disk', restriction: 'read_only', endsWriters: false },
    ],
    ['far beyond its disk', { diskBytes: 441n }, { because: 'disk', endsWriters: true, stops: false }],
    ['that grows on', { diskBytes: 501n, overrides: 3 }, { because: 'disk', restriction: 'reader_only', stops: true }],
    ['with a log that waits', { undrainedBytes: 40n }, { because: null, restriction: 'none' }],
    [
      'with too much of it',
      { undrainedBytes: 41n },
      { because: 'archive', restriction: 'read_only', endsWriters: false },
    ],
    ['with far too much of it', { undrainedBytes: 45n }, { because: 'archive', endsWriters: true, stops: false }],
    ['until half is stored', { undrainedBytes: 21n, because: 'archive' }, { because: 'archive' }],
    ['once half is stored', { undrainedBytes: 20n, because: 'archive' }, { because: null, restriction: 'none' }],
    ['full with too much log', { sizeBytes: 101n, undrainedBytes: 45n }, { because: 'quota', endsWriters: true }],
    ['full without credits', { isPaid: false, sizeBytes: 101n }, { because: 'credits', restriction: 'read_only' }],
  ])('%s', (_, input, expected) => {
    expect(decideQuota(facts(input))).toMatchObject(expected);
  });

  it('refuses writes exactly when it is full or unpaid, and never connects fewer roles as it shrinks', () => {
    const size = fc.bigInt({ min: 0n, max: 300n });
    const other = fc.record({ isPaid: fc.boolean(), overrides: fc.integer({ min: 0, max: 5 }) });
    const level = { none: 0, read_only: 1, reader_only: 2 };
    fc.assert(
      fc.property(size, size, other, (one, another, rest) => {
        const [small, large] = one < another ? [one, another] : [another, one];
        const [less, more] = [small, large].map((sizeBytes) => decideQuota(facts({ ...rest, sizeBytes })));
        expect(level[less!.restriction]).toBeLessThanOrEqual(level[more!.restriction]);
        expect(more!.because !== null).toBe(large > 100n || !rest.isPaid);
        expect(more!.restriction !== 'none').toBe(more!.because !== null);
        if (more!.restriction === 'reader_only') expect(rest.overrides).toBeGreaterThanOrEqual(MAX_OVERRIDES);
      }),
    );
  });
});
