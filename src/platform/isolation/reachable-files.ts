import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, cp, lstat, mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const READ_BY_OTHERS = 0o004;
const ENTER_BY_OTHERS = 0o001;
const WRITE_BY_GROUP_OR_OTHERS = 0o022;

/**
 * Finds, for a file that an isolated program must read, a path that its user can reach. A project below `/root` (mode
 * 0700) is out of reach, so its files are copied once into a directory of root.
 */
export class ReachableFiles {
  constructor(private readonly options: { readonly directory: string; readonly otherUser: boolean }) {}

  /**
   * @returns the file or directory itself, or a copy of it that only root can change.
   * @throws {Error} when a copy is needed and the directory is not a safe place for it.
   */
  async reachable(path: string): Promise<string> {
    const file = await realpath(path);
    if (!this.options.otherUser || (await othersCanRead(file))) return file;
    return this.copyOf(file);
  }

  private async copyOf(file: string): Promise<string> {
    await this.requireSafeDirectory();
    const original = await stat(file);
    // A changed file gets another name, so that a running program never sees its files change.
    const version = `${original.ino}-${original.size}-${Math.trunc(original.mtimeMs)}`;
    const copy = join(this.options.directory, `${version}-${basename(file)}`);
    if (await isComplete(copy, original)) return copy;

    // What a killed process has left may have any number of a process in its name, also ours.
    const unfinished = `${copy}.${randomBytes(6).toString('hex')}`;
    if (original.isDirectory()) {
      await cp(file, unfinished, { recursive: true, mode: constants.COPYFILE_FICLONE, verbatimSymlinks: true });
      // Another service may have been faster.
      await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }));
    } else {
      await copyFile(file, unfinished, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await chmod(unfinished, 0o555);
      await rename(unfinished, copy);
    }
    return copy;
  }

  /** Only root may create a file here or replace a directory on the path to it. */
  private async requireSafeDirectory(): Promise<void> {
    const { directory } = this.options;
    await mkdir(directory, { recursive: true, mode: 0o755 });
    for (const path of ancestors(directory)) {
      const found = await lstat(path);
      if (!found.isDirectory() || found.uid !== 0 || (found.mode & WRITE_BY_GROUP_OR_OTHERS) !== 0) {
        throw new Error(`${path} must be a directory of root that no one else may write to.`);
      }
    }
  }
}

async function isComplete(copy: string, original: Stats): Promise<boolean> {
  try {
    const found = await lstat(copy);
    return (
      found.uid === 0 && (original.isDirectory() ? found.isDirectory() : found.isFile() && found.size === original.size)
    );
  } catch {
    return false;
  }
}

async function othersCanRead(file: string): Promise<boolean> {
  if (((await stat(file)).mode & READ_BY_OTHERS) === 0) return false;
  const modes = await Promise.all(ancestors(dirname(file)).map(async (path) => (await stat(path)).mode));
  return modes.every((mode) => (mode & ENTER_BY_OTHERS) !== 0);
}

/** Returns the path itself and every directory above it. */
function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [...ancestors(above), path];
}
