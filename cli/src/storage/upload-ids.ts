import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** After so long, the service has given up an upload too. */
const KEPT_MS = 7 * 86_400_000;

interface Kept {
  readonly id: string;
  readonly at: number;
}

/** The uploads that were interrupted, so that the same command continues them. They are no secrets. */
export class UploadIds {
  private last: Promise<void> = Promise.resolve();
  private readonly begun = new Set<string>();

  constructor(private readonly file: string) {}

  /** What is uploaded is the same if its place, its size and the time of its last change are. */
  static keyOf(...facts: readonly (string | number)[]): string {
    return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
  }

  async find(key: string): Promise<string | undefined> {
    return (await this.read())[key]?.id;
  }

  /** Whether this process has begun an upload that another one can continue. */
  get hasUnfinished(): boolean {
    return this.begun.size > 0;
  }

  /** Resolves when all that was set is in the file. */
  settled(): Promise<void> {
    return this.last;
  }

  /** Uploads run beside each other, and each changes the file after the one before. */
  set(key: string, id: string | undefined): Promise<void> {
    if (id === undefined) this.begun.delete(key);
    else this.begun.add(key);
    this.last = this.last.then(() => this.change(key, id));
    return this.last;
  }

  private async change(key: string, id: string | undefined): Promise<void> {
    const now = Date.now();
    const others = Object.entries(await this.read());
    const kept = others.filter(([other, { at }]) => other !== key && at > now - KEPT_MS);
    const all = { ...Object.fromEntries(kept), ...(id === undefined ? {} : { [key]: { id, at: now } }) };
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      const fresh = `${this.file}.${process.pid}.${key.slice(0, 8)}`;
      await writeFile(fresh, JSON.stringify(all), { mode: 0o600 });
      await rename(fresh, this.file);
    } catch {
      // Without the file, the upload starts from its beginning the next time.
    }
  }

  private async read(): Promise<Record<string, Kept>> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as Record<string, Kept>;
    } catch {
      return {};
    }
  }
}
