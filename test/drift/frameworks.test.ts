import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PRESETS } from '../../src/modules/builds/frameworks/catalog.js';
import { FRAMEWORKS } from '../../src/modules/projects/project-settings.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const names = PRESETS.map(({ name }) => name);

describe('the presets of frameworks', () => {
  it('are the frameworks that a project can be set to, in the order of detection', () => {
    expect(names).toEqual([...FRAMEWORKS]);
  });

  it('have a file each', () => {
    const files = readdirSync(join(PROJECT_ROOT, 'src/modules/builds/frameworks'));
    expect(names.filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
  });

  it('end with a mode that needs no condition, so that every source has one', () => {
    expect(PRESETS.filter(({ modes }) => modes.at(-1)?.when !== undefined)).toEqual([]);
  });

  it('have no name or alias twice', () => {
    const all = PRESETS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  });
});
