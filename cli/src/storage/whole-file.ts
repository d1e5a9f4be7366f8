import { open, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A file that appears under its name when all of it is there, and whose begun part can be kept for another try. */
export class WholeFile {
  private kept = false;

  constructor(
    private readonly path: string,
    private readonly partial = `${path}.${process.pid}.part`,
  ) {}

  /** Appends what arrives, and returns the number of bytes in the file. */
  async write(body: Readable, onProgress: (bytes: number) => void): Promise<number> {
    const file = await open(this.partial, 'a', 0o666);
    try {
      let { size } = await file.stat();
      for await (const chunk of body as AsyncIterable<Buffer>) {
        await file.appendFile(chunk);
        size += chunk.length;
        onProgress(size);
      }
      return size;
    } finally {
      await file.close();
    }
  }

  async keep(): Promise<void> {
    await rename(this.partial, this.path);
    this.kept = true;
  }

  async discard(): Promise<void> {
    if (!this.kept) await rm(this.partial, { force: true });
  }
}
