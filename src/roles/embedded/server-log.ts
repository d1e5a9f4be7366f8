import { openSync, readFileSync, renameSync, rmSync } from 'node:fs';

const LAST_LINES = 12;

/**
 * Opens a server's log anew and returns its descriptor; that of the last start is kept beside it as `<path>.1`.
 * The server is handed the open file, so it needs no right to the directory.
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

/** The end of a server's log, for a message. Empty when the log was removed meanwhile. */
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
