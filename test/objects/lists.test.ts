import { ObjectListsService } from '../../src/modules/objects/objects/object-lists.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Storing } from '../support/storing.js';
import { useApp } from '../support/test-app.js';

const app = useApp();
const storage = new Storing(app);
const IN_FOLDER = 20_000;
let bucketId: string;

beforeAll(async () => {
  await storage.begin();
  bucketId = (await storage.bucket()).id as string;
  await storage.make.sql(
    `INSERT INTO objects (bucket_id, key, revision, size, etag, content_type, headers, metadata, parts, updated_at)
     SELECT $1, key, 'rsv_' || row_number() OVER (), 0, 'x', 'a/b', '{}', '{}', '[]', now()
     FROM (
       SELECT folder || '/' || lpad(n::text, 6, '0') AS key
       FROM unnest(ARRAY['deep/er', 'many', 'more']) AS folder, generate_series(1, $2::int) AS n
       UNION ALL SELECT unnest(ARRAY['a', 'lonely', 'z'])
     ) AS keys`,
    [bucketId, IN_FOLDER],
  );
});

/** How many rows and entries of indexes of objects the work reads. */
async function readBy(work: () => Promise<unknown>): Promise<number> {
  const database = app.get(Database);
  return database.transaction(async () => {
    const count = async (): Promise<number> => {
      const [row] = await database.manager.query<{ count: string }[]>(
        `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS count FROM pg_stat_xact_user_tables
         WHERE relname = 'objects'`,
      );
      return Number(row!.count);
    };
    const before = await count();
    await work();
    return (await count()) - before;
  });
}

const list = async (request: {
  prefix?: string;
  delimiter?: string;
  after?: string;
  limit?: number;
}): Promise<any[]> => {
  const { steps } = await app
    .get(ObjectListsService)
    .list(bucketId, { prefix: '', delimiter: '/', after: '', limit: 1_000, ...request });
  return steps.map((step) => ('object' in step ? step.object.key : step.prefix));
};

describe.each(['before the table was analyzed', 'after that'])('lists of large folders, %s', (when) => {
  beforeAll(async () => {
    if (when === 'after that') await storage.make.sql('ANALYZE objects');
  });

  it.each([
    ['the top', {}, ['a', 'deep/', 'lonely', 'many/', 'more/', 'z']],
    ['what is behind a folder', { after: 'many/' }, ['more/', 'z']],
    ['what is behind a key in a folder', { after: 'many/000500' }, ['more/', 'z']],
    ['a folder of one folder', { prefix: 'deep/' }, ['deep/er/']],
    ['folders by a prefix of their name', { prefix: 'm' }, ['many/', 'more/']],
    ['a page of two', { limit: 2 }, ['a', 'deep/']],
    ['a page in the middle of a folder', { delimiter: '', after: 'many/010000', limit: 1 }, ['many/010001']],
  ])('read a row for each step, and not what is in a folder: %s', async (_what, request, expected) => {
    let found: any[] = [];
    const rows = await readBy(async () => (found = await list(request)));
    expect(found).toEqual(expected);
    // One more tells whether there is another page.
    expect(rows).toBeLessThanOrEqual(expected.length + 1);
  });
});
