import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const SRC = join(PROJECT_ROOT, 'src');
/** Where `lookupOrgIds` is defined. */
const DEFINITION = 'modules/auth/principal.ts';
/** The first line that closes a method or a function, at whatever depth. */
const END = /\n {0,2}\}/;

/** A shorthand of a file for the lookup, such as `const reachOf = ({ principal }: Call) => …`. */
const SHORTHAND = /^const (\w+) = .*lookupOrgIds/gm;

describe('a lookup of a resource by its id', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== DEFINITION)
    .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))
    .filter(({ text }) => text.includes('lookupOrgIds'));

  it('in closed organizations too is followed by the check of rights that says why they are closed', () => {
    const unchecked = files.flatMap(({ file, text }) => {
      const shorthands = [...text.matchAll(SHORTHAND)].map(([, name]) => String.raw`\b${name}\(`);
      const rest = text.replace(SHORTHAND, '');
      const lookups = rest.matchAll(new RegExp([String.raw`\.lookupOrgIds`, ...shorthands].join('|'), 'g'));
      return [...lookups]
        .map(({ index }) => rest.slice(rest.lastIndexOf('\n', index), index + rest.slice(index).search(END)))
        .filter((statement) => !/\.require\(|\ballowed\(/.test(statement))
        .map((statement) => `${file}: ${statement.trim().split('\n', 1)[0]!}`);
    });
    expect(files.length).toBeGreaterThan(10);
    expect(unchecked).toEqual([]);
  });
});
