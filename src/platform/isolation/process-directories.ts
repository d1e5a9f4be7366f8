import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTicks } from './process-facts.js';

/** Directories of this process that are mounted into isolated programs. Several processes may share the parent. */
export class ProcessDirectories {
  private sweeping: Promise<void> | undefined;

  constructor(private readonly parent: string) {}

  /**
   * Makes an empty directory, named `<pid>-<start time>-…`, because numbers of processes are used again. Users of
   * isolated programs can traverse it, but see nothing of it but what is mounted. The first call also removes those of
   * processes that were killed.
   */
  async make(): Promise<string> {
    await mkdir(this.parent, { recursive: true, mode: 0o755 });
    this.sweeping ??= this.removeLeft();
    await this.sweeping;
    const directory = await mkdtemp(join(this.parent, `${process.pid}-${startTicks(process.pid) ?? '0'}-`));
    await chmod(directory, 0o755);
    return directory;
  }

  private async removeLeft(): Promise<void> {
    const left = (await readdir(this.parent)).filter(isLeft);
    await Promise.all(left.map((name) => rm(join(this.parent, name), { recursive: true, force: true })));
  }
}

/** The previous release, which may run beside this one, gives no start time. */
const NAME = /^(?<pid>\d+)-(?:(?<ticks>\d+)-)?[A-Za-z0-9]{6}$/;

function isLeft(name: string): boolean {
  const { pid, ticks } = NAME.exec(name)?.groups ?? {};
  if (pid === undefined) return false;
  const alive = startTicks(Number(pid));
  return ticks === undefined ? alive === null || Number(pid) === process.pid : alive !== ticks;
}
