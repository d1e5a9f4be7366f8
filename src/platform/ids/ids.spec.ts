import fc from 'fast-check';
import { TypeID } from 'typeid-js';
import { Clock } from '../time/clock.js';
import { base32OfTenBytes, base32OfTime } from './base32.js';
import { defineId } from './define-id.js';
import { IdCatalog } from './id-catalog.js';
import { Ids } from './ids.js';

class StoppedClock extends Clock {
  at = new Date('2026-11-21T00:00:00Z');
  now(): Date {
    return this.at;
  }
}

const MOON_ID = defineId('moon');
const STAR_ID = defineId('star');

describe('Ids', () => {
  const clock = new StoppedClock();
  const ids = new Ids(clock);

  it('creates TypeIDs of UUIDv7 that contain their creation time', () => {
    const uuid = TypeID.fromString(ids.next(MOON_ID), 'moon').toUUID();
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(clock.at.getTime());
  });

  it('sorts by creation time', () => {
    const older = ids.next(MOON_ID);
    clock.at = new Date(clock.at.getTime() + 1);
    expect(ids.next(MOON_ID) > older).toBe(true);
  });

  it('sorts by creation within one millisecond, too, and never repeats itself', () => {
    const created = Array.from({ length: 10_000 }, () => ids.next(MOON_ID));
    expect([...created].sort()).toEqual(created);
    expect(new Set(created).size).toBe(10_000);
  });

  it('sorts by creation while a clock goes back a little, and follows one that is set back', () => {
    const created = Array.from({ length: 20 }, () => {
      clock.at = new Date(clock.at.getTime() - 10);
      return ids.next(MOON_ID);
    });
    expect([...created].sort()).toEqual(created);
    clock.at = new Date(clock.at.getTime() - 60_000);
    expect(ids.next(MOON_ID) < created[0]!).toBe(true);
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

  it('accepts only declared kinds, which the compiler checks', () => {
    // @ts-expect-error A bare prefix is not a kind of id.
    expect(() => ids.next('moon')).not.toThrow();
  });
});

describe('IdCatalog', () => {
  it('lists the prefixes of all modules', () => {
    expect(new IdCatalog([MOON_ID, STAR_ID]).prefixes).toEqual(['moon', 'star']);
  });

  it('refuses a prefix that is declared twice', () => {
    expect(() => new IdCatalog([MOON_ID, STAR_ID, defineId('moon')])).toThrow('The id prefix moon is declared twice.');
  });

  it('refuses a prefix that is not a short lowercase word', () => {
    expect(() => new IdCatalog([defineId('Moon_1')])).toThrow('The id prefix Moon_1 is not 2 to 8 lowercase letters.');
  });
});
