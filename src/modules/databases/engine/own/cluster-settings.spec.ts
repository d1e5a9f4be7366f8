import { serverSettings } from './cluster-settings.js';

const MEBIBYTE = 1_048_576;
const ENTERPRISE = { maxConnections: 200, memoryBytes: 2_048 * MEBIBYTE, diskBytes: 1e12 };
const FREE = { maxConnections: 20, memoryBytes: 256 * MEBIBYTE, diskBytes: 1e9 };

describe('the settings of a cluster', () => {
  it.each([
    ['an empty database', 8 * MEBIBYTE, '16MB'],
    ['one that is as large as its buffers', 64 * MEBIBYTE, '64MB'],
    ['one that is a little larger', 64 * MEBIBYTE + 1, '128MB'],
    ['one that is larger than the memory', 5_000 * MEBIBYTE, '256MB'],
    ['one of no known size', undefined, '256MB'],
    ['one that no measurement found', 0, '16MB'],
  ])('have buffers for %s, up to an eighth of its memory', (_what, dataBytes, expected) => {
    expect(valueOf('shared_buffers', ENTERPRISE, dataBytes)).toBe(expected);
  });

  it('give many connections no more locks in all than few', () => {
    expect(valueOf('max_locks_per_transaction', FREE)).toBe('64');
    expect(valueOf('max_locks_per_transaction', ENTERPRISE)).toBe('13');
    // PostgreSQL does not start with less.
    expect(valueOf('max_pred_locks_per_transaction', ENTERPRISE)).toBe('10');
  });
});

function valueOf(name: string, limits: typeof FREE, dataBytes?: number): string | undefined {
  const text = serverSettings({
    limits,
    restriction: 'none',
    countsStatements: true,
    ...(dataBytes === undefined ? {} : { dataBytes }),
  });
  return new RegExp(`^${name} = '(.*)'$`, 'm').exec(text)?.[1];
}
