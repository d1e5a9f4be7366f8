import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './failures.js';

export interface StoredKey {
  readonly api_key: string;
  readonly key_id: string;
  /** True when `login` created the key; `logout` then revokes it. */
  readonly minted: boolean;
}

interface Stored {
  /** The service of the last login, which is the default for later commands. */
  readonly url?: string | undefined;
  /** Keys are stored by the address of their service, so that no key is ever sent to another one. */
  readonly keys: Readonly<Record<string, StoredKey>>;
}

/** The keys of this user on this machine, in a file that only they can read. */
export class Credentials {
  constructor(private readonly file: string) {}

  /** Returns the address of the last login. */
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

  /** @throws {UsageError} when the file exists and cannot be parsed: guessing could lose keys. */
  private async read(): Promise<Stored> {
    try {
      const stored: unknown = JSON.parse(await readFile(this.file, 'utf8'));
      if (!isStored(stored)) throw new TypeError('The file was not written by this command.');
      return stored;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: {} };
      throw new UsageError(`${this.file} cannot be read. Remove it and log in again.`);
    }
  }

  private async write(stored: Stored): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    // The new file replaces the old one as a whole, and other users can never read it, not even during the write.
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
