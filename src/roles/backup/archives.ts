import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ServerAccount } from '../../platform/accounts/server-account.js';
import type { BackupFiles } from './backup-files.js';

const ATTEMPTS = 3;
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', HOME: '/nonexistent' };

/** A file of a backup. */
export interface Archive {
  readonly files: BackupFiles;
  readonly path: string;
}

/** A directory whose files belong to `account`; only programs of this account read and write them. */
export interface Place {
  readonly directory: string;
  /** The account of the files. By default it is our own. */
  readonly account: ServerAccount | undefined;
}

interface Packing {
  /** A shell command that runs in the directory, and prints the names of the files, each with a NUL at its end. */
  readonly find: string;
  /** True when no other file replaces one that is gone before it is read. */
  readonly mayVanish?: boolean;
}

/**
 * Packs files. It starts again when a name is gone before it is read, because the file that replaced it must be in the
 * archive, unless none does.
 */
export async function pack(
  place: Place,
  { find, mayVanish = false }: Packing,
  { files, path }: Archive,
): Promise<void> {
  const lenient = mayVanish ? ' --ignore-failed-read --warning=no-failed-read' : '';
  for (let attempt = 1; ; attempt++) {
    const failure = await run(place, `${find} | tar --null --no-recursion${lenient} --files-from - --create`, {
      to: (output) => files.save(path, output),
    });
    if (failure === undefined) return;
    await files.discard(path);
    if (attempt === ATTEMPTS) throw new Error(`${place.directory} cannot be packed: ${failure}`);
  }
}

/** Files that are there already stay, and are an error unless `mayBeThere`. */
export async function unpack(place: Place, { files, path }: Archive, mayBeThere = false): Promise<void> {
  const old = mayBeThere ? '--skip-old-files' : '--keep-old-files';
  const failure = await run(place, `tar --extract ${old}`, { from: (input) => files.load(path, input) });
  if (failure !== undefined) throw new Error(`${path} cannot be unpacked: ${failure}`);
}

/** Returns the output of a shell command in the directory. @throws {Error} when it fails. */
export async function ask(place: Place, command: string): Promise<string> {
  const child = start(place, command);
  child.stdin.end();
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(errors.trim());
  return output;
}

interface Ends {
  readonly from?: (input: Writable) => Promise<void>;
  readonly to?: (output: Readable) => Promise<void>;
}

/** Returns the failure of the command, if any. @throws {Error} when the stream before or after it fails. */
async function run(place: Place, command: string, { from, to }: Ends): Promise<string | undefined> {
  const child = start(place, command);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const feeding = from === undefined ? child.stdin.end() : from(child.stdin).catch(unlessEndedEarly);
  const taking = to === undefined ? child.stdout.resume() : to(held(child.stdout));
  const [errors, [code]] = await Promise.all([text(child.stderr), ended, feeding, taking]);
  // The exit code of a shell is that of the last program of a pipe; failures of the others are in the errors.
  return code === 0 && errors === '' ? undefined : errors.trim().slice(0, 500) || `tar ended with ${code}`;
}

/**
 * Holds the output until it is read. Node discards what nobody reads yet when a child exits, so a short output would be
 * lost if its reader first creates a directory.
 */
function held(output: Readable): Readable {
  const kept = new PassThrough();
  output.once('error', (error) => kept.destroy(error));
  return output.pipe(kept);
}

/** A command that ends before it has read everything reports the reason itself. */
function unlessEndedEarly(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EPIPE' && code !== 'ECONNRESET' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

function start({ directory, account }: Place, command: string): ReturnType<typeof spawnShell> {
  return spawnShell(directory, account, command);
}

function spawnShell(directory: string, account: ServerAccount | undefined, command: string) {
  return spawn('/bin/sh', ['-c', `cd -- "$1" && { ${command}\n}`, 'sh', directory], {
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
