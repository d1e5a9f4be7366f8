import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What was typed in earlier shells, newest first, in a file that only this user can read. */
export class ShellHistory {
  readonly size = 500;
  lines: readonly string[] | undefined;

  constructor(private readonly file: string) {}

  async read(): Promise<string[]> {
    const text = await readFile(this.file, 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  /** Lines that name a password are not kept. A history that cannot be written is no reason to fail. */
  async write(): Promise<void> {
    if (this.lines === undefined) return;
    const kept = this.lines.filter((line) => !/password|secret/i.test(line)).slice(0, this.size);
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      const fresh = `${this.file}.${process.pid}`;
      await writeFile(fresh, `${kept.join('\n')}\n`, { mode: 0o600 });
      await rename(fresh, this.file);
    } catch {
      // The shell has done what it was started for.
    }
  }
}
