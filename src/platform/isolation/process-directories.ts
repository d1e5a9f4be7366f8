import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTicks } from './process-facts.js';

/** Directories of this process that are mounted into isolated programs. Several processes may share the parent. */
export class ProcessDirectories {
  private sweeping: Promise<void> | undefined;

  constructor(private readonly parent: string) {}

  /**
   * Makes an empty directory, named `<pid>-…`. Users of isolated programs can traverse it, but see nothing of it but
   * what is mounted. The first call also removes those of processes that were killed.
   */
  async make(): Promise<string> {
    await mkdir(this.parent, { recursive: true, mode: 0o755 });
    this.sweeping ??= this.removeLeft();
    await this.sweeping;
    const directory = await mkdtemp(join(this.parent, `${process.pid}-`));
    await chmod(directory, 0o755);
    return directory;
  }

  private async removeLeft(): Promise<void> {
    for (const name of await readdir(this.parent)) {
      const pid = Number(name.split('-')[0]);
      if (Number.isInteger(pid) && pid !== process.pid && startTicks(pid) === null)
        await rm(join(this.parent, name), { recursive: true, force: true });
    }
  }
}
