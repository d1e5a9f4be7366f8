import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CgroupsV2 } from './cgroup-v2.js';

/** A directory stands in for the file system: this shows what is asked of the kernel, not what it answers. */
describe('cgroups of version 2', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cgroup-'));
    writeFileSync(join(directory, 'cgroup.subtree_control'), '');
  });

  afterEach(() => { rmSync(directory, { recursive: true }); });

  const offer = (controllers: string): CgroupsV2 | null => {
    writeFileSync(join(directory, 'cgroup.controllers'), controllers);
    return CgroupsV2.find({ unified: directory, v1: () => null });
  };

  it('hand memory and pids down to the sandboxes', () => {
    expect(offer('cpuset cpu io memory pids\n')?.mode).toBe('cgroup-v2');
    expect(readFileSync(join(directory, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
  });

  it('are passed over where a controller is missing, as beside version 1', () => {
    expect(offer('')).toBeNull();
    expect(offer('cpu pids\n')).toBeNull();
  });

  it('are passed over where there are none', () => {
    expect(CgroupsV2.find({ unified: null, v1: () => null })).toBeNull();
    expect(CgroupsV2.find({ unified: join(directory, 'missing'), v1: () => null })).toBeNull();
  });
});
