import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './failures.js';

export interface StoredKey {
  readonly api_key: string;
  readonly key_id: string;
  /** Whether `login` made it, so that `logout` shall revoke it. */
  readonly minted: boolean;
}

interface Stored {
  /** Where the last login was, which later commands speak to. */
  readonly url?: string | undefined;
  /** By the address of the service, so that no key is ever sent to another. */
  readonly keys: Readonly<Record<string, StoredKey>>;
}

/** The keys of this user on this machine, in a file that only they can read. */
export class Credentials {
  constructor(private readonly file: string) {}

  /** Where the last login was. */
  async url(): Promise<string | undefined> {
    return (await this.read()).url;
  }

  async find(url: string): Promise<StoredKey | undefined> {
    return (await this.read()).keys[url];
  }

  async save(url: string, key: StoredKey): Promise<void> {
    const { keys } = await this.read();
    await this.write({ url, keys: { ...keys, [url]: key } });
  }

  async remove(url: string): Promise<void> {
    const stored = await this.read();
    const keys = Object.fromEntries(Object.entries(stored.keys).filter(([other]) => other !== url));
    await this.write({ url: stored.url === url ? undefined : stored.url, keys });
  }

  /** @throws {UsageError} when the file is there and cannot be understood: guessing could lose keys. */
  private async read(): Promise<Stored> {
    try {
      const stored: unknown = JSON.parse(await readFile(this.file, 'utf8'));
      if (!isStored(stored)) throw new TypeError('It is not what this command writes.');
      return stored;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: {} };
      throw new UsageError(`${this.file} cannot be read. Remove it and log in again.`);
    }
  }

  private async write(stored: Stored): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    // Never readable by others, not even while it is written, and never half a file.
    const fresh = `${this.file}.${process.pid}`;
    await rm(fresh, { force: true });
    await writeFile(fresh, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, this.file);
  }
}

function isStored(value: unknown): value is Stored {
  const { keys } = (value ?? {}) as { keys?: unknown };
  return typeof keys === 'object' && keys !== null;
}
