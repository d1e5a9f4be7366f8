import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const GIBIBYTE = 2 ** 30;
/** The databases of all test files that run at once, with their logs, take a third of it. */
const NEEDED_BYTES = 2 * GIBIBYTE;
const NEEDED_MEMORY_BYTES = 6 * GIBIBYTE;

/**
 * A fresh directory that other users may pass through, unlike what mkdtemp makes: as root our servers run as another
 * user and would otherwise have to keep their data elsewhere.
 */
export function makeScratchDirectory(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'service-test-'));
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
  return makeScratchDirectory(process.env['TEST_MEMORY_DIR'] ?? (hasSharedMemory() ? SHARED_MEMORY : tmpdir()));
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
