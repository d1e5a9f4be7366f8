import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterHome } from './cluster-home.js';
import { ClusterRecords } from './cluster-records.js';

describe('ClusterRecords', () => {
  let home: string;
  let records: ClusterRecords;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'records-'));
    records = new ClusterRecords({ directoryOf: (id: string) => join(home, id) } as unknown as ClusterHome);
    await mkdir(join(home, 'one'));
    await records.write(join(home, 'one'), { emptyBytes: '1', bytes: '1', restriction: 'none' });
  });
  afterEach(() => rm(home, { recursive: true }));

  it('keeps a restriction that is set during measurements', async () => {
    const measurements = Array.from({ length: 10 }, (_, index) => records.change('one', { bytes: String(index) }));
    await Promise.all([
      ...measurements,
      records.change('one', { restriction: 'read_only' }),
      records.change('one', { bytes: '99' }),
    ]);
    expect(await records.find('one')).toEqual({ emptyBytes: '1', bytes: '99', restriction: 'read_only' });
  });

  it('goes on after a change that failed', async () => {
    await rm(join(home, 'one'), { recursive: true });
    await mkdir(join(home, 'one', 'cluster.json'), { recursive: true });
    const failed = records.change('one', { bytes: '2' });
    await expect(failed).rejects.toMatchObject({ code: 'EISDIR' });
    await rm(join(home, 'one', 'cluster.json'), { recursive: true });
    await records.write(join(home, 'one'), { emptyBytes: '1', bytes: '1', restriction: 'none' });
    await records.change('one', { bytes: '3' });
    expect((await records.find('one'))?.bytes).toBe('3');
  });
});
