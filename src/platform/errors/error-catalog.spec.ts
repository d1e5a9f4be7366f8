import { ApiRefusals } from '../http/api-refusals.js';
import { defineErrors } from './define-errors.js';
import { ErrorCatalog } from './error-catalog.js';

const PLANETS = defineErrors({
  planet_not_found: { type: 'not_found_error', status: 404, title: 'Planet not found.' },
});
const MOONS = defineErrors({
  moon_not_found: { type: 'not_found_error', status: 404, title: 'Moon not found.' },
  moon_taken: { type: 'conflict_error', status: 409, title: 'The moon is taken.' },
});

describe('ErrorCatalog', () => {
  it('lists the codes of all modules in alphabetical order', () => {
    const catalog = new ErrorCatalog([PLANETS, MOONS]);
    expect(catalog.codes).toEqual(['moon_not_found', 'moon_taken', 'planet_not_found']);
    expect(catalog.get('moon_taken')).toBe(MOONS.moon_taken);
  });

  it('refuses a code that is declared twice', () => {
    const again = defineErrors({ moon_taken: { type: 'conflict_error', status: 409, title: 'Taken.' } });
    expect(() => new ErrorCatalog([PLANETS, MOONS, again])).toThrow('The error code moon_taken is declared twice.');
  });

  it('refuses to look up a code that no module declares', () => {
    const catalog = new ErrorCatalog([PLANETS]);
    expect(catalog.has('moon_taken')).toBe(false);
    expect(catalog.has('constructor')).toBe(false);
    expect(() => catalog.get('moon_taken')).toThrow('No module declares the error code moon_taken.');
  });
});

describe('ApiRefusals', () => {
  it('accepts only declared errors, which the compiler checks', () => {
    // @ts-expect-error A code that was not declared does not exist.
    expect(MOONS.moon_lost).toBeUndefined();
    // @ts-expect-error A bare code is not an error.
    expect(() => ApiRefusals('moon_taken')).not.toThrow();
    expect(() => ApiRefusals(MOONS.moon_taken, PLANETS.planet_not_found)).not.toThrow();
  });
});
