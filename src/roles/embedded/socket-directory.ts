import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openServerDirectory } from '../../platform/accounts/server-home.js';
import { type ServerAccount } from '../../platform/accounts/server-account.js';

/** The kernel limits the path of a socket to 108 bytes, including the final zero. */
const LONGEST_SOCKET_PATH = 107;
const PREFIX = 'service-platform-';

/**
 * Creates an empty directory for the socket of a server. Only we and the server can enter it, which keeps other users
 * of the machine from connecting. It is in the home of the server or, if that path is too long for a socket, under /run
 * (for root) or the temporary directory of the system. A server that died and is started again gets the same directory,
 * so its URL stays valid. The home must be locked.
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
    throw new Error(`The paths ${place} and ${directory} are too long for a socket. Set a shorter DATA_DIR.`);
  }
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
  if (account !== undefined) {
    // The server does not own it, because other programs run as "nobody" too. It enters by its group.
    chownSync(directory, 0, account.gid);
    chmodSync(directory, 0o770);
  }
  rmSync(place, { recursive: true, force: true });
  symlinkSync(directory, place);
  return directory;
}

/** Removes the directory of {@link openSocketDirectory}. */
export function closeSocketDirectory(home: string): void {
  const place = join(home, 'run');
  const directory = elsewhere(place);
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  rmSync(place, { recursive: true, force: true });
}

function fits(directory: string, socketName: string): boolean {
  return Buffer.byteLength(join(directory, socketName)) <= LONGEST_SOCKET_PATH;
}

/** Returns the directory that an earlier start has linked, if it still exists and is ours. */
function elsewhere(place: string): string | undefined {
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  const directory = readlinkSync(place);
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  const ours = stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o007) === 0;
  return ours && basename(directory).startsWith(PREFIX) ? directory : undefined;
}
