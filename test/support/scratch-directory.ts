import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const PREFIX = 'service-test-';
/** No run takes as long. */
const OLD_AFTER_MS = 6 * 3_600_000;
const GIBIBYTE = 2 ** 30;
/** The databases of all test files that run at once, with their logs, take a third of it. */
const NEEDED_BYTES = 2 * GIBIBYTE;
const NEEDED_MEMORY_BYTES = 6 * GIBIBYTE;

/**
 * A fresh directory that other users may pass through, unlike what mkdtemp makes: as root our servers run as another
 * user and would otherwise have to keep their data elsewhere.
 */
export function makeScratchDirectory(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, PREFIX));
  chmodSync(directory, 0o711);
  return directory;
}

/**
 * A scratch directory in memory where this machine has enough of it. A database is some 600 files, and each test file
 * begins with a new one: a disk takes over a second for that, and memory a twentieth.
 *
 * TEST_MEMORY_DIR names another place.
 */
export function makeMemoryDirectory(): string {
  const parent = process.env['TEST_MEMORY_DIR'] ?? (hasSharedMemory() ? SHARED_MEMORY : tmpdir());
  removeOld(parent);
  return makeScratchDirectory(parent);
}

/** A run that was killed leaves its directories behind, and those in memory stay until the machine restarts. */
function removeOld(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(PREFIX))) {
    try {
      const directory = join(parent, name);
      if (Date.now() - statSync(directory).mtimeMs > OLD_AFTER_MS) removeScratchDirectory(directory);
    } catch {
      // Another run has removed it, or it belongs to another user.
    }
  }
}

function hasSharedMemory(): boolean {
  try {
    // Services that run as an ordinary user keep programs in their data directories.
    const options = new RegExp(`^\\S+ ${SHARED_MEMORY} tmpfs (\\S+)`, 'm').exec(
      readFileSync('/proc/mounts', 'utf8'),
    )?.[1];
    if (options === undefined || !/^rw/.test(options) || /\bnoexec\b/.test(options)) return false;
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= NEEDED_BYTES && freemem() >= NEEDED_MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Removes it, and the homes elsewhere to which servers left links in it. */
export function removeScratchDirectory(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(readlinkSync(join(directory, entry.name)), { recursive: true, force: true });
  }
  rmSync(directory, { recursive: true, force: true });
}
