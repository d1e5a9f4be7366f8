/**
 * The release line for a range of package.json (`>=20 <23`, `^22.1 || 24.x`) or a version of .nvmrc (`v22.3.0`,
 * `lts/jod`): of those that there are, newest first, the newest that fits; null when none does.
 */
export function nodeVersionFor(range: string, versions: readonly string[]): string | null {
  if (range.length > LONGEST_RANGE) return null;
  return versions.find((version) => range.split('||').some((part) => fits(part, Number(version)))) ?? null;
}

/** It comes from a file of a tenant. */
const LONGEST_RANGE = 256;

const LTS: Readonly<Record<string, number>> = {
  'lts/iron': 20,
  'lts/jod': 22,
  'lts/krypton': 24,
  'lts/*': 24,
  node: 24,
};

/**
 * By the major version alone, of which the newest release is taken: `<22.3` has room in 22, `<22` or `<22.0.0` has
 * none.
 */
function fits(range: string, version: number): boolean {
  const named = LTS[range.trim().toLowerCase()];
  if (named !== undefined) return named === version;
  const words = range.trim().split(/\s+/);
  if (words[1] === '-') return version >= majorOf(words[0]) && version <= majorOf(words[2]);
  const comparators = [...words.join(' ').matchAll(/(>=|<=|>|<|\^|~|=)? ?v?(\d+|[x*])((?:\.(?:\d+|[x*]))*)/gi)];
  return (
    comparators.length > 0 &&
    comparators.every(([, operator = '', major = '', rest = '']) => {
      if (/[x*]/i.test(major)) return true;
      const bound = Number(major);
      const isWhole = /^(?:\.0|\.[x*])*$/i.test(rest);
      switch (operator) {
        case '>=':
          return version >= bound;
        case '>':
          return isWhole && rest === '' ? version > bound : version >= bound;
        case '<':
          return isWhole ? version < bound : version <= bound;
        case '<=':
          return version <= bound;
        default:
          return version === bound;
      }
    })
  );
}

/** Not a number, which nothing equals or exceeds, where there is none. */
const majorOf = (version = ''): number => parseInt(version.startsWith('v') ? version.slice(1) : version, 10);
