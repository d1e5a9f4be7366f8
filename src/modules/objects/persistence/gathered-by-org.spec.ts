import type { Reservation } from './bucket-rows.js';
import { gatheredByOrg } from './gathered-by-org.js';

const request = (orgId: string, id: string): { reservation: Reservation } => ({
  reservation: { id, orgId, bucketId: 'bkt_1', bytes: 1, blob: id },
});

describe('writes that are gathered by organization', () => {
  it('share a statement, but not with those of another organization', async () => {
    const batches: string[][] = [];
    const write = gatheredByOrg((all: readonly { reservation: Reservation }[]) => {
      batches.push(all.map(({ reservation: { id } }) => id));
      return Promise.resolve(all.map(({ reservation: { id } }) => `done ${id}`));
    });
    const asked = [request('org_1', 'a'), request('org_2', 'b'), request('org_1', 'c')];
    expect(await Promise.all(asked.map(write))).toEqual(['done a', 'done b', 'done c']);
    expect(batches.sort()).toEqual([['a', 'c'], ['b']]);
  });

  it('fail alone, and are written once', async () => {
    const written: string[] = [];
    const write = gatheredByOrg((all: readonly { reservation: Reservation }[]) => {
      if (all.some(({ reservation: { id } }) => id === 'bad')) return Promise.reject(new Error('refused'));
      written.push(...all.map(({ reservation: { id } }) => id));
      return Promise.resolve(all.map(({ reservation: { id } }) => id));
    });
    const asked = [request('org_1', 'a'), request('org_1', 'bad'), request('org_1', 'c'), request('org_2', 'd')];
    const outcomes = await Promise.allSettled(asked.map(write));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(written.sort()).toEqual(['a', 'c', 'd']);
  });
});
