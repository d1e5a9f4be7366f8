import { client } from '../support/built-client.js';

const { Service, ValidationError } = client;

interface Sent {
  readonly call: string;
  readonly body: unknown;
}

/** A client whose calls are recorded, and which gets these answers, the last one again and again. */
function recorded(...answers: (() => Response)[]): { service: InstanceType<typeof Service>; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input as string);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : (init.body ?? undefined);
    sent.push({ call: `${init.method} ${pathname.replace('/api/v1', '')}${search}`, body });
    return Promise.resolve((answers.length > 1 ? answers.shift()! : answers[0]!)());
  };
  return { service: new Service({ apiKey: 'svc_pat_x', baseUrl: 'http://api.test', fetch, maxRetries: 0 }), sent };
}

const data = (value: unknown) => (): Response => Response.json({ data: value, meta: { request_id: 'req_1' } });

describe('databases in the built client', () => {
  it('calls every endpoint with its ids escaped, its query and its body', async () => {
    const { service, sent } = recorded(data([]));
    const { databases } = service;
    await databases.list({ project_id: 'prj_1', include_deleted: true });
    await databases.create({ name: 'shop' });
    await databases.get('a/b');
    await databases.update('db_1', { name: 'store' });
    await databases.delete('db_1');
    await databases.undelete('db_1');
    await databases.purge('db_1');
    await databases.query('db_1', { sql: 'select $1', params: [1], access: 'write' });
    await databases.schema('db_1');
    await databases.stats('db_1');
    await databases.restore('db_1', { at: '2026-01-01T00:00:00Z' });
    await databases.swap('db_1', 'db_2');
    await databases.credentials.list('db_1');
    await databases.credentials.create('db_1', { access: 'reader' });
    await databases.credentials.rotate('db_1', 'dbc_1');
    await databases.credentials.rotate('db_1', 'dbc_1', { grace_seconds: 0 });
    await databases.credentials.delete('db_1', 'dbc_1');
    await databases.attachments.list('db_1');
    await databases.attachments.set('db_1', 'prj_1', { prefix: 'DATABASE', previews: 'branch' });
    await databases.attachments.delete('db_1', 'prj_1');
    await databases.branches.list('db_1');
    await databases.branches.create('db_1', { name: 'trial' });
    await databases.backups.list('db_1', { limit: 5 });
    await databases.backups.create('db_1');
    expect(sent.map(({ call, body }) => [call, body])).toEqual([
      ['GET /databases?project_id=prj_1&include_deleted=true', undefined],
      ['POST /databases', { name: 'shop' }],
      ['GET /databases/a%2Fb', undefined],
      ['PATCH /databases/db_1', { name: 'store' }],
      ['DELETE /databases/db_1', undefined],
      ['POST /databases/db_1/undelete', undefined],
      ['POST /databases/db_1/purge', undefined],
      ['POST /databases/db_1/query', { sql: 'select $1', params: [1], access: 'write' }],
      ['GET /databases/db_1/schema', undefined],
      ['GET /databases/db_1/stats', undefined],
      ['POST /databases/db_1/restore', { at: '2026-01-01T00:00:00Z' }],
      ['POST /databases/db_1/swap', { with: 'db_2' }],
      ['GET /databases/db_1/credentials', undefined],
      ['POST /databases/db_1/credentials', { access: 'reader' }],
      ['POST /databases/db_1/credentials/dbc_1/rotate', {}],
      ['POST /databases/db_1/credentials/dbc_1/rotate', { grace_seconds: 0 }],
      ['DELETE /databases/db_1/credentials/dbc_1', undefined],
      ['GET /databases/db_1/attachments', undefined],
      ['PUT /databases/db_1/attachments/prj_1', { prefix: 'DATABASE', previews: 'branch' }],
      ['DELETE /databases/db_1/attachments/prj_1', undefined],
      ['GET /databases/db_1/branches', undefined],
      ['POST /databases/db_1/branches', { name: 'trial' }],
      ['GET /databases/db_1/backups?limit=5', undefined],
      ['POST /databases/db_1/backups', undefined],
    ]);
  });

  it.each(['ready', 'failed'])('waits until a database is %s', async (state) => {
    const { service, sent } = recorded(data({ state: 'creating' }), data({ state }));
    expect(await service.databases.waitUntilReady('db_1')).toEqual({ state });
    expect(sent).toHaveLength(2);
  });

  it('stops waiting with the signal of the caller', async () => {
    const { service } = recorded(data({ state: 'restoring' }));
    const left = new AbortController();
    const waiting = service.databases.waitUntilReady('db_1', { signal: left.signal });
    left.abort('left');
    await expect(waiting).rejects.toBe('left');
  });

  it('streams an export without reading it, and imports bytes as they are', async () => {
    const { service, sent } = recorded(() => new Response('CREATE TABLE cats ();'), data({}));
    const exported = await service.databases.export('db_1', 'custom');
    expect(exported.bodyUsed).toBe(false);
    const sql = new Uint8Array(await exported.arrayBuffer());
    await service.databases.import('db_1', sql);
    expect(sent.map(({ call }) => call)).toEqual([
      'GET /databases/db_1/export?format=custom',
      'POST /databases/db_1/import',
    ]);
    expect(sent[1]!.body).toEqual(sql);
  });

  it('throws a failed query as a validation error with its SQLSTATE and position', async () => {
    const details = { sql_state: '42P01', position: 15 };
    const error = { type: 'validation_error', code: 'query_failed', status: 400, message: 'Query failed.', details };
    const { service } = recorded(() => Response.json({ error, meta: { request_id: 'req_1' } }, { status: 400 }));
    const thrown: unknown = await service.databases
      .query('db_1', { sql: 'select * from cat', access: 'read' })
      .catch((e: unknown) => e);
    expect(thrown).toBeInstanceOf(ValidationError);
    expect(thrown).toMatchObject({ code: 'query_failed', details });
  });
});
