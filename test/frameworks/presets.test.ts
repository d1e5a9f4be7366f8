import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRESETS, presetNamed } from '../../src/modules/builds/frameworks/catalog.js';
import { filesOf, rangeOf, selectedFixtures } from './fixture.js';

/** What came up, with the version and the day. */
const tested = JSON.parse(readFileSync(join(__dirname, 'tested.json'), 'utf8')) as Record<string, unknown>;

describe('the fixtures', () => {
  const fixtures = selectedFixtures({ short: false });

  it('have one for each preset', () => {
    const covered = new Set(fixtures.map(({ framework }) => framework));
    const missing = PRESETS.map(({ name }) => name).filter((name) => !covered.has(name));
    expect(missing).toEqual([]);
  });

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('say what %s is', (_name, fixture) => {
    expect(presetNamed(fixture.framework)?.name).toBe(fixture.framework);
    expect(filesOf(fixture)).toBeTruthy();
    expect(fixture).toMatchObject({ source: expect.stringMatching(/\w/), licence: expect.stringMatching(/\w/) });
    if (fixture.package !== undefined) expect(rangeOf(fixture)).not.toBeNull();
    if (fixture.refused === undefined)
      expect(fixture).toMatchObject({
        kind: expect.any(String),
        shows: expect.any(String),
        missing: expect.any(Number),
      });
  });

  it('come up for each preset', () => {
    const notYet = PRESETS.map(({ name }) => name).filter((name) => tested[name] === undefined);
    expect(notYet).toEqual([]);
  });

  it('were tested with presets that exist', () => {
    expect(Object.keys(tested).filter((name) => presetNamed(name)?.name !== name)).toEqual([]);
  });
});
