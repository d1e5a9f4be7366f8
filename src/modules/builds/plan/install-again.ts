import { type InstallEnd } from './install-failure.js';

/** Each time all packages are installed again. */
const MOST_LEFT_OUT = 2;
const OWN_COMMAND = /^npm (?:ci|install) --include=dev\b/;
const WITHOUT_LOCK = /^npm install --include=dev --no-package-lock\b/;
const FAILED_AT = /npm (?:error|ERR!) path \S{1,500}\/node_modules\/((?:@[\w.~-]{1,100}\/)?[\w.~-]{1,200})$/;

/** Prints the packages with install scripts, without those of the arguments. */
const WITH_SCRIPTS =
  'const { packages } = JSON.parse(require("fs").readFileSync("node_modules/.package-lock.json", "utf8"));' +
  'const names = Object.keys(packages).filter((path) => packages[path].hasInstallScript)' +
  '.map((path) => path.split("node_modules/").pop());' +
  'console.log([...new Set(names)].filter((name) => !process.argv.includes(name)).join("\\n"))';

/**
 * The package whose install script needs a host that builds may not reach, or null when that is not why packages could
 * not be installed. Many of these packages are only for tests, or are needed by a part that the project does not use.
 */
export function packageToLeaveOut(
  { command, lastLines, refused }: Pick<InstallEnd, 'command' | 'lastLines' | 'refused'>,
  before: readonly string[],
): string | null {
  if (refused.length === 0 || before.length >= MOST_LEFT_OUT || !OWN_COMMAND.test(command)) return null;
  const name = lastLines.map((line) => FAILED_AT.exec(line)?.[1]).find((each) => each !== undefined) ?? null;
  return name !== null && before.includes(name) ? null : name;
}

const CONFLICT = /npm (?:error|ERR!) (?:code )?ERESOLVE/;
const LEGACY = ' --legacy-peer-deps';

/**
 * The command that ignores which versions packages want of each other, or null when that is not the cause. With a lock
 * file, these are decided.
 */
export const installWithConflicts = ({
  command,
  lastLines,
}: Pick<InstallEnd, 'command' | 'lastLines'>): string | null =>
  WITHOUT_LOCK.test(command) && !command.endsWith(LEGACY) && lastLines.some((line) => CONFLICT.test(line))
    ? `${command}${LEGACY}`
    : null;

/**
 * Packages whose script downloads what the registry has as packages since this release. Releases before it are used in
 * the same way.
 */
const WITHOUT_DOWNLOAD: Readonly<Record<string, string>> = { sharp: '0.33.5' };

/** The release that takes the place of a package whose script was left out, or null when there is none. */
export const releaseInPlaceOf = (name: string): string | null =>
  Object.hasOwn(WITHOUT_DOWNLOAD, name) ? WITHOUT_DOWNLOAD[name]! : null;

/** Installs a release beside the packages of the project, and links to it wherever they have the package. */
function putInPlace(name: string, release: string): string {
  const place = `node_modules/.in-place/${name}`;
  return (
    `(mkdir -p ${place} && cd ${place} && echo '{"private":true}' > package.json && ` +
    `npm install --no-package-lock --ignore-scripts ${name}@~${release}) && node -e '${LINK}' ${name} ${place}`
  );
}

const LINK =
  'const fs = require("fs"), { dirname, relative } = require("path"), [name, place] = process.argv.slice(1);' +
  'const { packages } = JSON.parse(fs.readFileSync("node_modules/.package-lock.json", "utf8"));' +
  'for (const path of Object.keys(packages).filter((each) => each.endsWith(`node_modules/${name}`))) {' +
  'fs.rmSync(path, { recursive: true, force: true });' +
  'fs.symlinkSync(relative(dirname(path), `${place}/node_modules/${name}`), path) }';

/** Installs packages by npm, and runs all install scripts but those of `names`. */
export const installWithout = (command: string, names: readonly string[]): string =>
  [
    `${command} --ignore-scripts`,
    ...names.flatMap((name) => {
      const release = releaseInPlaceOf(name);
      return release === null ? [] : [putInPlace(name, release)];
    }),
    `node -e '${WITH_SCRIPTS}' ${names.join(' ')} | xargs -r npm rebuild`,
    'npm run --if-present postinstall',
    'npm run --if-present prepare',
  ].join(' && ');
