import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CgroupsV2 } from './cgroup-v2.js';

/** A directory replaces the cgroup file system: this tests what is written to the kernel, not what it does. */
describe('cgroups of version 2', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cgroup-'));
    writeFileSync(join(directory, 'cgroup.subtree_control'), '');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const offer = (controllers: string): CgroupsV2 | null => {
    writeFileSync(join(directory, 'cgroup.controllers'), controllers);
    return CgroupsV2.find({ unified: directory, v1: () => null });
  };

  it('delegate memory and pids to isolated programs', () => {
    expect(offer('cpuset io memory pids\n')?.mode).toBe('cgroup-v2');
    expect(readFileSync(join(directory, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
  });

  it('delegate the cpu controller where it is available', () => {
    const groups = offer('cpu memory pids\n')!;
    const shared = join(directory, 'isolated.10');
    mkdirSync(shared);
    writeFileSync(join(shared, 'cgroup.controllers'), 'cpu memory pids\n');
    writeFileSync(join(shared, 'cgroup.subtree_control'), '');
    const group = groups.create({ memoryBytes: 1, tasks: 1, processes: 'any', cpu: { weight: 20, maxPercent: 150 } });
    const [own] = readdirSync(shared).filter((name) => name.startsWith('isolated-'));
    const read = (file: string): string => readFileSync(join(shared, file), 'utf8');

    expect(read('cgroup.subtree_control')).toBe('+cpu');
    expect(read('cpu.weight')).toBe('10');
    expect(read(`${own}/cpu.weight`)).toBe('20');
    expect(read(`${own}/cpu.max`)).toBe('150000 100000');
    expect(group.limitsCpu).toBe(true);
    group.closeEntrances();
  });

  it('are not used where a controller is missing, as next to version 1', () => {
    expect(offer('')).toBeNull();
    expect(offer('cpu pids\n')).toBeNull();
  });

  it('are not used where there are none', () => {
    expect(CgroupsV2.find({ unified: null, v1: () => null })).toBeNull();
    expect(CgroupsV2.find({ unified: join(directory, 'missing'), v1: () => null })).toBeNull();
  });
});
