import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pack } from './archives.js';
import { BackupFiles } from './backup-files.js';

describe('pack', () => {
  const directory = mkdtempSync(join(tmpdir(), 'archives-'));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('loses nothing when the command has ended before its output is read', async () => {
    writeFileSync(join(directory, 'file'), 'content');
    let archive = Buffer.alloc(0);
    class SlowFiles extends BackupFiles {
      override async save(_path: string, source: Readable): Promise<void> {
        await sleep(500);
        archive = await buffer(source);
      }
    }
    await pack(
      { directory, account: undefined },
      { find: 'find . -print0' },
      { files: new SlowFiles(directory), path: 'a.tar' },
    );
    expect(archive.length).toBeGreaterThanOrEqual(1_024);
    expect(archive.includes('content')).toBe(true);
  });
});
