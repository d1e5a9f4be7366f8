import fc from 'fast-check';
import { TypeID } from 'typeid-js';
import { Clock } from '../time/clock.js';
import { base32OfTenBytes, base32OfTime } from './base32.js';
import { Ids } from './ids.js';

class StoppedClock extends Clock {
  at = new Date('2026-11-21T00:00:00Z');
  now(): Date {
    return this.at;
  }
}

describe('Ids', () => {
  const clock = new StoppedClock();
  const ids = new Ids(clock);

  it('mints TypeIDs of UUIDv7 that carry the time of their birth', () => {
    const uuid = TypeID.fromString(ids.next('exe'), 'exe').toUUID();
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(clock.at.getTime());
  });

  it('sorts by birth', () => {
    const older = ids.next('req');
    clock.at = new Date(clock.at.getTime() + 1);
    expect(ids.next('req') > older).toBe(true);
  });

  it('never repeats itself within one millisecond', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => ids.next('out'))).size).toBe(10_000);
  });

  it('encodes any time and any random bits as the TypeID library does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        fc.uint8Array({ minLength: 10, maxLength: 10 }),
        (ms, random) => {
          const bytes = Buffer.concat([Buffer.from(ms.toString(16).padStart(12, '0'), 'hex'), random]);
          expect(`req_${base32OfTime(ms)}${base32OfTenBytes(random, 0)}`).toBe(
            TypeID.fromUUIDBytes('req', bytes).toString(),
          );
        },
      ),
    );
  });
});
