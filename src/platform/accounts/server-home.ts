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
 * Root's own place for what a server must reach and DATA_DIR cannot offer. Not /var/tmp: there another user could
 * create the name first, and cleaners empty it.
 */
const SHELTER = '/var/lib/service-platform';

export interface HomeOptions {
  /** DATA_DIR. It is created when missing and never made more open than it is. */
  readonly dataDir: string;
  /** Of the server: `postgres`, `redis`. */
  readonly name: string;
  readonly account: ServerAccount | undefined;
  /** As root: others may pass through it to a path that they know, and see nothing else. */
  readonly passable?: boolean;
  readonly log: (line: string) => void;
}

/**
 * The directory in which a server keeps everything: `<DATA_DIR>/<name>`, closed to all but us and the server.
 *
 * When we are root and DATA_DIR lies behind a closed door (under /root, say), the home is a directory in
 * /var/lib/service-platform instead, and `<DATA_DIR>/<name>` a link to it. That link is what claims the data:
 * a DATA_DIR that was removed and made anew starts empty.
 *
 * @throws {Error} when the home belongs to another user, cannot be reached any more, or its link leads nowhere:
 *   an empty home in its place would look like lost data.
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
      `The data in ${home} cannot be reached by the user ${input.account.name}, as whom its server runs when we are root. ` +
        'A directory above it was closed since the data was written. Open it again, or choose another DATA_DIR.',
    );
  }
  return home;
}

/** A directory for programs of ours that every user can read and only root can write. */
export function rootShelter(): string {
  mkdirSync(SHELTER, { recursive: true, mode: 0o755 });
  const stats = lstatSync(SHELTER);
  if (!stats.isDirectory() || stats.uid !== 0 || (stats.mode & 0o022) !== 0) {
    throw new Error(`${SHELTER} must be a directory that belongs to root and that no one else can write.`);
  }
  // It is ours, and a strict umask must not lock our own servers out.
  chmodSync(SHELTER, 0o755);
  return SHELTER;
}

/** A directory inside a home that belongs to the server alone. */
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
    // Another start was quicker; its link is as good as ours.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return;
  }
  log(`${dataDir} is closed to the user ${account.name}, as whom ${name} runs: its data is kept in ${home}.`);
}

function follow(place: string): string {
  try {
    return realpathSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `${place} is a link to data that is no longer there. Bring it back, or remove the link to start empty.`,
    );
  }
}

function requireOurs(home: string): void {
  const { uid } = statSync(home);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `${home} belongs to ${uid === 0 ? 'root' : `user ${uid}`}. Start the service as that user, or choose another DATA_DIR.`,
  );
}

/** Nobody passes but us and, by its group, the server. */
function closeToOthers(home: string, { account, passable = false }: HomeOptions): void {
  if (account !== undefined) chownSync(home, 0, account.gid);
  chmodSync(home, account === undefined ? 0o700 : passable ? 0o751 : 0o750);
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
