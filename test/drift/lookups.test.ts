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
      const shorthands = [...text.matchAll(SHORTHAND)].map(([, name]) => `${name}(`);
      const rest = text.replace(SHORTHAND, '');
      return ['.lookupOrgIds', ...shorthands].flatMap((lookup) =>
        rest
          .split(lookup)
          .slice(1)
          .filter((after, index) => {
            const before = rest
              .split(lookup)
              .slice(0, index + 1)
              .join(lookup);
            const statement = before.slice(before.lastIndexOf('\n')) + after.split(END, 1)[0]!;
            return !/\.require\(|\ballowed\(/.test(statement);
          })
          .map(() => `${file}: ${lookup}`),
      );
    });
    expect(files.length).toBeGreaterThan(10);
    expect(unchecked).toEqual([]);
  });
});
