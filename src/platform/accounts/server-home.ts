import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { canReach, type ServerAccount } from './server-account.js';

/**
 * Root's directory for what a server must reach when DATA_DIR is closed to it. It is not in /var/tmp, where another
 * user could create the name first and cleaners delete files.
 */
const SHELTER = '/var/lib/service-platform';

export interface HomeOptions {
  /** The value of DATA_DIR. The directory is created when missing, and its mode is never widened. */
  readonly dataDir: string;
  /** The name of the server: `postgres` or `redis`. */
  readonly name: string;
  readonly account: ServerAccount | undefined;
  /**
   * When the service is root, other users may pass through the directory to a path that they know, but cannot list it.
   */
  readonly passable?: boolean;
  readonly log: (line: string) => void;
}

/**
 * Opens the directory in which a server keeps everything: `<DATA_DIR>/<name>`, closed to all but the service and the
 * server.
 * When the service is root and another user cannot reach DATA_DIR (because it is under /root, for example), the home is
 * a directory in /var/lib/service-platform, and `<DATA_DIR>/<name>` is a link to it. The link is what claims the data:
 * a DATA_DIR that was removed and created again starts empty.
 * @throws {Error} when the home belongs to another user, can no longer be reached, or its link is broken: an empty home
 * in its place would look like lost data.
 */
export function openServerHome(input: HomeOptions): string {
  mkdirSync(input.dataDir, { recursive: true });
  const place = join(realpathSync(resolve(input.dataDir)), input.name);

  const found = lookAt(place);
  if (found === undefined) createHome(place, input);

  const home = follow(place);
  requireOurs(home);
  closeToOthers(home, input);
  if (input.account !== undefined && !canReach(input.account, home)) {
    throw new Error(
      `The user ${input.account.name}, which the server runs as, cannot reach the data in ${home}: ` +
        'the mode of a directory above it was changed. Open it again, or choose another DATA_DIR.',
    );
  }
  return home;
}

/** Returns a directory for the service's programs that every user can read and only root can write. */
export function rootShelter(): string {
  mkdirSync(SHELTER, { recursive: true, mode: 0o755 });
  const stats = lstatSync(SHELTER);
  if (!stats.isDirectory() || stats.uid !== 0 || (stats.mode & 0o022) !== 0) {
    throw new Error(`${SHELTER} must be a directory that belongs to root and that only root can write.`);
  }
  // The directory is the service's own, and a strict umask must not lock out its servers.
  chmodSync(SHELTER, 0o755);
  return SHELTER;
}

/** Creates a directory inside a home that belongs to the server alone. */
export function openServerDirectory(path: string, account: ServerAccount | undefined, mode = 0o700): string {
  mkdirSync(path, { recursive: true, mode });
  if (account !== undefined) chownSync(path, account.uid, account.gid);
  chmodSync(path, mode);
  return path;
}

function createHome(place: string, input: HomeOptions): void {
  const { account, dataDir, name, log } = input;
  mkdirSync(place, { recursive: true, mode: 0o700 });
  if (account === undefined) return;

  closeToOthers(place, input);
  if (canReach(account, place)) return;

  rmdirSync(place);
  const shelter = rootShelter();
  const hash = createHash('sha256').update(dirname(place)).digest('hex').slice(0, 12);
  const home = mkdtempSync(join(shelter, `${hash}-${name}-`));
  try {
    symlinkSync(home, place);
  } catch (error) {
    rmdirSync(home);
    // Another start created the link first, and its link serves as well.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return;
  }
  log(`${dataDir} is closed to the user ${account.name}, which ${name} runs as. Its data is kept in ${home}.`);
}

function follow(place: string): string {
  try {
    return realpathSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `${place} is a link to data that no longer exists. Restore the data, or remove the link to start empty.`,
    );
  }
}

function requireOurs(home: string): void {
  const { uid } = statSync(home);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `${home} belongs to ${uid === 0 ? 'root' : `user ${uid}`}. ` +
      'Start the service as that user, or choose another DATA_DIR.',
  );
}

/** Only the service and, through its group, the server may enter. */
function closeToOthers(home: string, { account, passable = false }: HomeOptions): void {
  if (account !== undefined) chownSync(home, 0, account.gid);
  chmodSync(home, account === undefined ? 0o700 : passable ? 0o751 : 0o750);
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
