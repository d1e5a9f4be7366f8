/**
 * Returns the newest available major version for a range of package.json (`>=20 <23`, `^22.1 || 24.x`) or a version of
 * .nvmrc (`v22.3.0`, `lts/jod`), or null when none fits. `versions` are in order, newest first.
 */
export function nodeVersionFor(range: string, versions: readonly string[]): string | null {
  if (range.length > LONGEST_RANGE) return null;
  return versions.find((version) => range.split('||').some((part) => fits(part, Number(version)))) ?? null;
}

/** The range comes from a file of a tenant, so that its length has to be bounded. */
const LONGEST_RANGE = 256;

const LTS: Readonly<Record<string, number>> = {
  'lts/iron': 20,
  'lts/jod': 22,
  'lts/krypton': 24,
  'lts/*': 24,
  node: 24,
};

/**
 * Compares major versions only, because the newest release of each is used: `<22.3` fits 22, and `<22` or `<22.0.0`
 * does not.
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

/** NaN if there is no number, and then every comparison is false. */
const majorOf = (version = ''): number => parseInt(version.startsWith('v') ? version.slice(1) : version, 10);
