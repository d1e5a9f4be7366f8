import { openSync, readFileSync, renameSync, rmSync } from 'node:fs';

const LAST_LINES = 12;

/**
 * Opens an empty log for a server and returns its descriptor. The log of the last start is kept as `<path>.1`. The
 * server inherits the open file, so it needs no access to the directory.
 */
export function openServerLog(path: string): number {
  rmSync(`${path}.1`, { force: true });
  try {
    renameSync(path, `${path}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return openSync(path, 'a', 0o600);
}

/** Returns the end of the log of a server for a message. It is empty if the log was removed. */
export function endOfServerLog(path: string): string {
  try {
    return lastLines(readFileSync(path, 'utf8'));
  } catch {
    return '';
  }
}

export function lastLines(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .map((line) => `  ${line}`)
    .join('\n');
}
