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

/** Installs packages by npm, and runs all install scripts but those of `names`. */
export const installWithout = (command: string, names: readonly string[]): string =>
  [
    `${command} --ignore-scripts`,
    `node -e '${WITH_SCRIPTS}' ${names.join(' ')} | xargs -r npm rebuild`,
    'npm run --if-present postinstall',
    'npm run --if-present prepare',
  ].join(' && ');
