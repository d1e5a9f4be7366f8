import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, Databases } from '../support/databases.js';
import { onThisMachine } from '../support/patience.js';
import { useApp } from '../support/test-app.js';
import { DatabaseData } from './database-data.js';

jest.setTimeout(onThisMachine(120_000));

const app = useApp({}, 'all');
const databases = new Databases(app);
const data = new DatabaseData(app, databases);

beforeAll(() => databases.begin());

describe('POST /api/v1/databases/:database_id/restore', () => {
  it('restores exactly what was committed at any moment', async () => {
    const { id } = await data.marked();
    expect(await data.backedUp(id)).toMatchObject({ kind: 'manual', state: 'ready', size_bytes: expect.any(Number) });
    const moments: { at: Date; count: number }[] = [];
    for (let n = 0; n < 12; n++) {
      await data.query(id, `INSERT INTO marks VALUES (${n})`);
      // The clock of PostgreSQL is finer than ours.
      await sleep(2);
      moments.push({ at: new Date(), count: n + 1 });
      await sleep(Math.random() * 30);
      if (n === 5) await data.backedUp(id);
      if (n === 8) await data.sleep(id);
    }
    await data.query(id, 'DROP TABLE marks');
    for (const { at, count } of [moments[2]!, moments[7]!, moments[11]!]) {
      const restored = await data.restored(id, at);
      expect(restored).toMatchObject({ parent_id: null, state: 'ready' });
      expect(await data.marks(restored.id)).toEqual(Array.from({ length: count }, (_, n) => n));
      // It is a database like others.
      await data.query(restored.id, 'INSERT INTO marks VALUES (100)');
    }
    await expect(data.marks(id)).rejects.toThrow('does not exist');
  });

  it('returns 409 with the window for other moments', async () => {
    const { id } = await data.marked();
    expect(codeOf(await data.post(id, 'restore', { at: new Date().toISOString() }))).toEqual([
      409,
      'database_not_restorable',
    ]);
    const before = new Date();
    await data.backedUp(id);
    const { restorable } = await databases.get(id);
    for (const at of [before, new Date(Date.now() + 3_600_000)]) {
      const refused = await data.post(id, 'restore', { at: at.toISOString() });
      expect(codeOf(refused)).toEqual([409, 'database_not_restorable']);
      expect(refused.body.error.details.from).toBe(restorable.from);
    }
    expect(codeOf(await data.post(id, 'restore', { at: 'yesterday' }))).toEqual([400, 'invalid_request']);
  });
});
