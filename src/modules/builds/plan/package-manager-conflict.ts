import { RELEASES } from './package-manager.js';

type Name = 'npm' | 'pnpm' | 'yarn' | 'bun';

const LOCKS = { npm: 'package-lock.json', pnpm: 'pnpm-lock.yaml', yarn: 'yarn.lock', bun: 'bun.lock' } as const;

// The lines are untrusted: every repetition is bounded, and only these characters of a version get into a sentence.
const MANAGER = '(npm|pnpm|yarn|bun)';
const VERSION = '([\\w.<>=~^|* -]{1,60})';
const pattern = (source: string): RegExp => new RegExp(source);

/** What is printed when the package manager has the wrong name. The group is the one that was expected. */
const OTHER_NAME: readonly RegExp[] = [
  // only-allow
  `Use "${MANAGER}(?: install)?" for installation in this project`,
  // pnpm, Corepack
  `This project is configured to use ${MANAGER}\\b`,
  // Yarn 1
  `package\\.json defines "packageManager": "${MANAGER}@`,
  // npm, with devEngines
  `Invalid name "${MANAGER}" does not match "[a-z]{1,20}" for "packageManager"`,
].map(pattern);

const PNPM_VERSION = pattern(`configured to use v?${VERSION} of pnpm\\. Your current pnpm is v?${VERSION}`);
const YARN_VERSION = pattern(
  `"packageManager": "yarn@${VERSION}[^"]{0,300}"\\. However the current global version of Yarn is ${VERSION}\\.`,
);
const YARN_ENGINE = pattern(
  `engine "(node|npm|pnpm|yarn)" is incompatible with this module\\. Expected version "${VERSION}"\\. Got "${VERSION}"`,
);
const PNPM_ENGINE = /Your (pnpm|Node) version is incompatible with/;
const EXPECTED = pattern(`^ {0,20}Expected version: ${VERSION}$`);
const GOT = pattern(`^ {0,20}Got: v?${VERSION}$`);
const NPM_REQUIRED = /\bRequired: {1,20}(\{.{1,300}\})$/;
const NPM_ACTUAL = /\bActual: {1,20}(\{.{1,300}\})$/;

/** What a command of a user or of this service asked of which package manager. */
interface Found {
  readonly command: string;
  readonly lastLines: readonly string[];
}

/** Says which package manager, or which version, was found and expected, and what to change. Null when they fit. */
export function packageManagerConflict({ command, lastLines }: Found): string | null {
  return versionConflict(lastLines) ?? nameConflict(command, lastLines);
}

function nameConflict(command: string, lines: readonly string[]): string | null {
  const expected = firstOf(lines, (line) => OTHER_NAME.map((each) => each.exec(line)?.[1]).find(isText)) as Name | null;
  const found = /^(npm|pnpm|yarn|bun)\b/.exec(command)?.[1] as Name | undefined;
  if (expected === null || found === expected) return null;
  const start = `the project expects ${expected}, and found was ${found ?? 'another one'}`;
  switch (found === undefined ? 'own' : reasonOf(command)) {
    case 'lock':
      return (
        `${start}, because of ${LOCKS[found!]}. Commit the ${LOCKS[expected]} that ${expected} install writes, and ` +
        `remove ${LOCKS[found!]}.`
      );
    case 'none':
      return expected === 'npm'
        ? `${start}. Commit the package-lock.json that npm install writes.`
        : `${start}. Add "packageManager": "${expected}@${newestOf(expected)}" to package.json.`;
    case 'own':
      return `${start}, by the install command of the project. Change that command to ${expected} install.`;
  }
}

/** Why a package manager was chosen: a lock file, nothing, or a command of the project. */
function reasonOf(command: string): 'lock' | 'none' | 'own' {
  if (/^(?:npm install --include=dev --no-package-lock|pnpm install --no-frozen-lockfile|bun install$)/.test(command))
    return 'none';
  if (/^yarn install --no-(?:lockfile|immutable)/.test(command)) return 'none';
  if (/^(?:npm ci --include=dev|pnpm install --frozen|bun install --frozen)/.test(command)) return 'lock';
  return /^yarn install --(?:frozen-lockfile|immutable)/.test(command) ? 'lock' : 'own';
}

function versionConflict(lines: readonly string[]): string | null {
  const pnpm = firstOf(lines, (line) => PNPM_VERSION.exec(line));
  if (pnpm !== null) return versionText('pnpm', pnpm[1]!, pnpm[2]!);
  const yarn = firstOf(lines, (line) => YARN_VERSION.exec(line));
  if (yarn !== null) return versionText('yarn', yarn[1]!, yarn[2]!);
  const engine = firstOf(lines, (line) => YARN_ENGINE.exec(line));
  if (engine !== null) return versionText(engine[1]!, engine[2]!, engine[3]!);
  const tool = firstOf(lines, (line) => PNPM_ENGINE.exec(line)?.[1]);
  const expected = firstOf(lines, (line) => EXPECTED.exec(line)?.[1]);
  const got = firstOf(lines, (line) => GOT.exec(line)?.[1]);
  if (tool !== null && expected !== null && got !== null) return versionText(tool.toLowerCase(), expected, got);
  return npmEngines(lines);
}

/** npm prints what is required, and what it is and runs on, as JSON. */
function npmEngines(lines: readonly string[]): string | null {
  if (!lines.some((line) => /npm (?:error|ERR!) code EBADENGINE$/.test(line))) return null;
  const required = enginesIn(firstOf(lines, (line) => NPM_REQUIRED.exec(line)?.[1]));
  const actual = enginesIn(firstOf(lines, (line) => NPM_ACTUAL.exec(line)?.[1]));
  // npm compares its own version and that of Node only.
  const tool = (['npm', 'node'] as const).find(
    (each) => required[each] !== undefined && !isFulfilled(required, actual, each),
  );
  const [expected, found] = tool === undefined ? [] : [required[tool], actual[tool]];
  return expected === undefined || found === undefined ? null : versionText(tool!, expected, found.replace(/^v/, ''));
}

/** True when a range such as `>=20` or `22.x` is fulfilled by its major version, so that npm refused another one. */
function isFulfilled(required: Engines, actual: Engines, tool: keyof Engines): boolean {
  const [, more, major] = /^(>=)? ?v?(\d{1,4})(?:\.[\dx*]{1,5}){0,2}$/.exec(required[tool] ?? '') ?? [];
  const own = Number(/^v?(\d{1,4})\./.exec(actual[tool] ?? '')?.[1]);
  return major !== undefined && (more === undefined ? own === Number(major) : own >= Number(major));
}

interface Engines {
  readonly node?: string;
  readonly npm?: string;
}

function enginesIn(text: string | null): Engines {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
    const fitting = new RegExp(`^${VERSION}$`);
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && fitting.test(value)));
  } catch {
    return {};
  }
}

function versionText(tool: string, expected: string, found: string): string {
  const start = `expected was ${tool === 'node' ? 'Node' : tool} ${expected}, and found was ${found}.`;
  switch (tool) {
    case 'node':
      return `${start} Set the Node version of the project to one that fits.`;
    case 'npm':
      return `${start} Builds use the npm of this machine, so change engines.npm in package.json.`;
    default:
      return (
        `${start} Set packageManager in package.json to a version that fits, such as ` +
        `${tool}@${releaseFor(tool as Exclude<Name, 'npm'>, expected)}, and write the lock file with it.`
      );
  }
}

/** The release of the first major version in the range, if that is a known one. */
const releaseFor = (name: keyof typeof RELEASES, range: string): string => {
  const releases: Readonly<Record<string, string>> = RELEASES[name];
  return releases[/\d{1,4}/.exec(range)?.[0] ?? ''] ?? newestOf(name);
};

const newestOf = (name: keyof typeof RELEASES): string => Object.values<string>(RELEASES[name]).at(-1)!;

const isText = (value: string | undefined): value is string => value !== undefined;

function firstOf<Value>(lines: readonly string[], find: (line: string) => Value | null | undefined): Value | null {
  for (const line of lines) {
    const found = find(line);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}
