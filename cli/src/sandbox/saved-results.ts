import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files that keep results. Their names are ours, and none replaces a file that is there. */
export class SavedResults {
  private directory: Promise<string> | undefined;
  private last = 0;

  /** @param wanted The directory for the files. Without one, a new one among the temporary files, if it is needed. */
  constructor(private readonly wanted?: string) {}

  /** True when the caller has said where results belong, and so wants to keep them. */
  get areWanted(): boolean {
    return this.wanted !== undefined;
  }

  /** Writes a file, and returns its path. */
  async save(extension: string, content: string | Uint8Array): Promise<string> {
    this.directory ??= this.opened();
    const directory = await this.directory;
    for (;;) {
      this.last++;
      const path = join(directory, `result-${this.last}.${extension}`);
      // Neither a file nor a link that has the name is opened.
      const isTaken = await writeFile(path, content, { flag: 'wx' }).then(
        () => false,
        (error: unknown) => {
          if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
          throw error;
        },
      );
      if (!isTaken) return path;
    }
  }

  private async opened(): Promise<string> {
    if (this.wanted === undefined) return mkdtemp(join(tmpdir(), 'service-results-'));
    await mkdir(this.wanted, { recursive: true });
    return this.wanted;
  }
}
