import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';

const CHUNK_BYTES = 262_144;

/**
 * A file on disk that has no name: the system frees its room when it is closed, and also when the process is killed.
 * So nothing is left to clean up, and processes may share the directory.
 */
export class SpooledFile {
  private constructor(private readonly file: FileHandle) {}

  /** Creates the directory as well, where only the service may enter. */
  static async create(directory: string): Promise<SpooledFile> {
    await mkdir(dirname(directory), { recursive: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, randomBytes(16).toString('hex'));
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      return new SpooledFile(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Writes the content, once. */
  write(content: AsyncIterable<Buffer>): Promise<void> {
    return this.file.writeFile(content);
  }

  /** Reads from the beginning. Streams may read at the same time. */
  read(): Readable {
    return Readable.from(this.chunks(), { objectMode: false });
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ;) {
      const { bytesRead, buffer } = await this.file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}
