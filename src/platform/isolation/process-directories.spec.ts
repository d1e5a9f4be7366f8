import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ProcessDirectories } from './process-directories.js';
import { startTicks } from './process-facts.js';

describe('directories of a process', () => {
  let parent: string;
  const own = `${process.pid}-${startTicks(process.pid)}-`;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'process-directories-'));
  });
  afterEach(() => {
    rmSync(parent, { recursive: true });
  });

  it('have names of their own, and leave those of processes that live alone', async () => {
    const other = `${process.ppid}-${startTicks(process.ppid)}-AbCdEf`;
    // So does the previous release call its own.
    const older = `${process.ppid}-AbCdEf`;
    for (const name of [other, older, 'something']) mkdirSync(join(parent, name));
    const directories = new ProcessDirectories(parent);
    const made = [await directories.make(), await directories.make()].map((path) => basename(path));
    for (const name of made) expect(name.startsWith(own)).toBe(true);
    expect(readdirSync(parent).sort()).toEqual([other, older, 'something', ...made].sort());
  });

  it.each([
    ['of one that is gone', '4194303-5-AbCdEf'],
    ['of one that is gone, of the previous release', '4194303-AbCdEf'],
    ['of one that had the number of this process', `${process.pid}-1-AbCdEf`],
    ['of one that had the number of this process, of the previous release', `${process.pid}-AbCdEf`],
    ['of one that had the number of another process', `${process.ppid}-1-AbCdEf`],
  ])('do not stay when they are those %s', async (_, name) => {
    mkdirSync(join(parent, name));
    const made = await new ProcessDirectories(parent).make();
    expect(readdirSync(parent)).toEqual([basename(made)]);
  });
});
