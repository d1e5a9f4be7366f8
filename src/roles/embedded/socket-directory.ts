import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openServerDirectory } from '../../platform/accounts/server-home.js';
import { type ServerAccount } from '../../platform/accounts/server-account.js';

/** The kernel's limit for the path of a socket is 108 bytes, the closing zero included. */
const LONGEST_SOCKET_PATH = 107;
const PREFIX = 'service-platform-';

/**
 * An empty directory for a server's socket that only we and the server can enter; this is what keeps other users of
 * the machine from connecting. It lies in the server's home, or under /run (for root) or the system's temporary
 * directory when the home is too deep for a socket's path. A server that is started again without having been stopped
 * finds the same directory, so that its URL stays true. Call it with the home locked.
 */
export function openSocketDirectory(home: string, socketName: string, account: ServerAccount | undefined): string {
  const place = join(home, 'run');
  if (fits(place, socketName)) {
    rmSync(place, { recursive: true, force: true });
    return openServerDirectory(place, account);
  }
  const directory = elsewhere(place) ?? mkdtempSync(join(account === undefined ? tmpdir() : '/run', PREFIX));
  if (!fits(directory, socketName)) {
    rmSync(directory, { recursive: true });
    throw new Error(`No path is short enough for a socket: neither ${place} nor ${directory}. Set a shorter DATA_DIR.`);
  }
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  if (account !== undefined) {
    // Not the server's own, as others run as "nobody" too: it enters by its group.
    chownSync(directory, 0, account.gid);
    chmodSync(directory, 0o770);
  }
  rmSync(place, { recursive: true, force: true });
  symlinkSync(directory, place);
  return directory;
}

/** Removes what {@link openSocketDirectory} made. */
export function closeSocketDirectory(home: string): void {
  const place = join(home, 'run');
  const directory = elsewhere(place);
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  rmSync(place, { recursive: true, force: true });
}

function fits(directory: string, socketName: string): boolean {
  return Buffer.byteLength(join(directory, socketName)) <= LONGEST_SOCKET_PATH;
}

/** The directory to which an earlier start left a link, if it is still there and still ours. */
function elsewhere(place: string): string | undefined {
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  const directory = readlinkSync(place);
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  const ours = stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o007) === 0;
  return ours && basename(directory).startsWith(PREFIX) ? directory : undefined;
}
