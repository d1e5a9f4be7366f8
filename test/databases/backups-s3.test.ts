import { BackupBlobs } from '../../src/modules/databases/backups/backup-blobs.js';
import { expectStatus } from '../support/make.js';
import { Databases } from '../support/databases.js';
import { onThisMachine } from '../support/patience.js';
import { S3Peer } from '../support/s3-peer.js';
import { TestApp } from '../support/test-app.js';
import { DatabaseData } from './database-data.js';

jest.setTimeout(onThisMachine(60_000));

const BUSY = { kind: 'answer', status: 500, code: 'InternalError' } as const;

let peer: S3Peer;
let app: TestApp;
let databases: Databases;
let data: DatabaseData;

beforeAll(async () => {
  peer = await S3Peer.start();
  app = new TestApp(peer.settingsOf('DATABASE_BACKUPS_URL'), 'all');
  await app.start();
  databases = new Databases(app);
  data = new DatabaseData(app, databases);
  await databases.begin();
});
afterAll(async () => {
  await app.stop();
  await peer.stop();
});
afterEach(() => {
  peer.mend();
});

async function blobsOf(clusterId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of app.get(BackupBlobs).list(`clusters/${clusterId}/`)) keys.push(key);
  return keys.sort();
}

describe('backups of databases in a bucket of S3', () => {
  it('restore what was committed, although the storage failed at times, and go with their database', async () => {
    const { id } = await data.marked();
    const clusterId = await data.clusterOf(id as string);
    peer.fail(BUSY, { times: 1, methods: ['PUT'] });
    peer.fail({ kind: 'lose-answer' }, { times: 1, methods: ['PUT'] });
    await data.query(id as string, 'INSERT INTO marks VALUES (1)');
    expect(await data.backedUp(id as string)).toMatchObject({ state: 'ready' });
    expect((await blobsOf(clusterId)).some((key) => key.includes('/bases/'))).toBe(true);
    await data.query(id as string, 'INSERT INTO marks VALUES (2)');
    const moment = new Date();
    await data.query(id as string, 'INSERT INTO marks VALUES (3)');
    peer.fail(BUSY, { times: 1 });
    await data.sleep(id as string);
    peer.fail({ kind: 'reset' }, { times: 1, methods: ['GET'] });
    const restored = await data.restored(id as string, moment);
    expect(await data.marks(restored.id as string)).toEqual([1, 2]);

    await databases.deleted(id as string);
    expectStatus(204, await databases.purge(id as string));
    await databases.gone(id as string);
    expect(await blobsOf(clusterId)).toEqual([]);
  });

  it('miss nothing of what was committed while the storage failed', async () => {
    const { id } = await data.marked();
    expect(await data.backedUp(id as string)).toMatchObject({ state: 'ready' });
    peer.fail(BUSY);
    await data.query(id as string, 'INSERT INTO marks VALUES (1)');
    await data.sleep(id as string);
    expect(await data.marks(id as string)).toEqual([1]);
    await data.query(id as string, 'INSERT INTO marks VALUES (2)');
    const moment = new Date();
    await data.sleep(id as string);
    peer.mend();
    await data.query(id as string, 'INSERT INTO marks VALUES (3)');
    await data.sleep(id as string);
    expect(await data.marks((await data.restored(id as string, moment)).id as string)).toEqual([1, 2]);
  });
});
