import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A fresh directory that other users may pass through, unlike what mkdtemp makes: as root our servers run as another
 * user and would otherwise have to keep their data elsewhere.
 */
export function makeScratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'service-test-'));
  chmodSync(directory, 0o711);
  return directory;
}

/** Removes it, and the homes elsewhere to which servers left links in it. */
export function removeScratchDirectory(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(readlinkSync(join(directory, entry.name)), { recursive: true, force: true });
  }
  rmSync(directory, { recursive: true, force: true });
}
