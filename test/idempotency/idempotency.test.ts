import { createHash } from 'node:crypto';
import { IdempotencyService } from '../../src/modules/idempotency/writes/idempotency.service.js';
import { as, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

describe('Idempotency-Key', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let ada: Person;

  beforeAll(async () => {
    ada = await make.person({ plan: 'pro' });
  });

  const mint = (key: string, body: object, token = ada.sessionToken): Promise<Answer> =>
    app.post('/api/v1/keys', body, as(token, { headers: { 'idempotency-key': key } }));
  const count = async (name: string): Promise<number> =>
    Number((await make.sql('SELECT count(*) AS n FROM api_keys WHERE name = $1', [name]))[0]!['n']);

  it('performs a write once and returns the same response each time', async () => {
    const [name, key] = [uniqueName('once'), uniqueName('k')];
    const first = await mint(key, { name });
    const second = await mint(key, { name });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.data).toEqual(first.body.data);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await count(name)).toBe(1);
  });

  it('performs a write once for twenty concurrent requests', async () => {
    const [name, key] = [uniqueName('race'), uniqueName('k')];
    const answers = await Promise.all(Array.from({ length: 20 }, () => mint(key, { name })));
    const codes = answers.map(({ status, body }) => (status === 201 ? 'made' : (body.error.code as string)));
    expect(new Set(codes.filter((code) => code !== 'made'))).toEqual(
      new Set(codes.includes('idempotency_in_progress') ? ['idempotency_in_progress'] : []),
    );
    expect(codes).toContain('made');
    expect(await count(name)).toBe(1);
  });

  it('returns an error for another body, and is independent per route and caller', async () => {
    const key = uniqueName('k');
    const name = uniqueName('body');
    const made = await mint(key, { name });
    const other = await mint(key, { name, preset: 'read_only' });
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_mismatch']);
    const rotated = await app.post(
      `/api/v1/keys/${made.body.data.id}/rotate`,
      {},
      as(ada, { headers: { 'idempotency-key': key } }),
    );
    expect(rotated.status).toBe(200);
    expect((await mint(key, { name }, (await make.person()).sessionToken)).status).toBe(201);
  });

  it('is the same for a rotated key, and different for a key with fewer scopes', async () => {
    const [name, idempotencyKey] = [uniqueName('wide'), uniqueName('k')];
    const wide = (await mint(uniqueName('k'), { name: 'wide' })).body.data;
    const narrow = (await mint(uniqueName('k'), { name: 'narrow', scopes: ['keys:write'] })).body.data;
    const first = await mint(idempotencyKey, { name }, wide.secret as string);
    const rotated = (await app.post(`/api/v1/keys/${wide.id}/rotate`, {}, as(ada))).body.data;
    expect((await mint(idempotencyKey, { name }, rotated.secret as string)).body.data).toEqual(first.body.data);
    const other = await mint(idempotencyKey, { name }, narrow.secret as string);
    expect([other.status, other.body.error?.code]).toEqual([403, 'insufficient_scopes']);
    expect(other.text).not.toContain(first.body.data.secret);
  });

  it('stores client errors and returns them again', async () => {
    const key = uniqueName('k');
    const answers = [await mint(key, { name: '' }), await mint(key, { name: '' })];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers[1]!.body.error).toEqual(answers[0]!.body.error);
  });

  it('returns an empty response again', async () => {
    const {
      body: {
        data: { id },
      },
    } = await mint(uniqueName('k'), { name: 'to revoke' });
    const key = uniqueName('k');
    const revoke = (): Promise<Answer> =>
      app.call('DELETE', `/api/v1/keys/${id}`, as(ada, { headers: { 'idempotency-key': key } }));
    expect([await revoke(), await revoke()].map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
    ]);
  });

  it.each(['', 'x'.repeat(256), 'a b', 'ü'])('rejects %j', async (key) => {
    const answer = await mint(key, { name: 'x' });
    // An empty header is one that was not meant.
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0]).toMatchObject({ path: 'Idempotency-Key', in: 'header' });
  });

  describe('stored by the service', () => {
    const request = (): { scope: string; key: string; fingerprints: Buffer[] } => ({
      scope: 'a test',
      key: uniqueName('k'),
      fingerprints: [Buffer.from('same')],
    });

    it('does not store server errors', async () => {
      const service = app.get(IdempotencyService);
      const input = request();
      await expect(service.once(input, true, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
      expect(await service.once(input, true, () => Promise.resolve({ status: 200, data: 1 }))).toEqual({
        answer: { status: 200, data: 1 },
        replayed: false,
      });
    });

    it('rolls the write back when its response cannot be stored', async () => {
      const service = app.get(IdempotencyService);
      const [input, name] = [request(), uniqueName('lost')];
      const work = service.once(input, true, async () => {
        await make.sql(
          `INSERT INTO idempotency_records (scope, key, fingerprint, holder, created_at, expires_at)
            VALUES ('done', $1, 'x', 'x', now(), now())`,
          [name],
        );
        // Another attempt takes over, as when this process had hung for too long.
        await app
          .get(IdempotencyService)
          ['database']['dataSource'].query('UPDATE idempotency_records SET holder = $2 WHERE key = $1', [
            input.key,
            'another',
          ]);
        return { status: 200 };
      });
      await expect(work).rejects.toMatchObject({ code: 'idempotency_in_progress' });
      expect(await make.sql("SELECT 1 FROM idempotency_records WHERE scope = 'done' AND key = $1", [name])).toEqual([]);
    });

    it('is released when its process died, for the same request only', async () => {
      const service = app.get(IdempotencyService);
      const input = request();
      await make.sql(
        `INSERT INTO idempotency_records (scope, key, fingerprint, holder, held_until, created_at,
          expires_at) VALUES ($1, $2, $3, 'dead', now() - interval '1 second', now(),
          now() + interval '1 day')`,
        [input.scope, input.key, input.fingerprints[0]],
      );
      await expect(
        service.once({ ...input, fingerprints: [Buffer.from('other')] }, true, () => Promise.resolve({ status: 200 })),
      ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
      expect(await service.once(input, true, () => Promise.resolve({ status: 200 }))).toMatchObject({
        replayed: false,
      });
    });

    it('matches the fingerprint of an older pepper', async () => {
      const service = app.get(IdempotencyService);
      const {
        fingerprints: [older],
        ...input
      } = request();
      await service.once({ ...input, fingerprints: [older!] }, true, () =>
        Promise.resolve({ status: 200, data: 'first' }),
      );
      const again = service.once({ ...input, fingerprints: [Buffer.from('newer'), older!] }, true, () =>
        Promise.resolve({ status: 200, data: 'second' }),
      );
      expect(await again).toMatchObject({ answer: { data: 'first' }, replayed: true });
    });

    it('expires after a day', async () => {
      const service = app.get(IdempotencyService);
      const input = request();
      await service.once(input, true, () => Promise.resolve({ status: 200, data: 'first' }));
      await make.sql("UPDATE idempotency_records SET expires_at = now() - interval '1 second' WHERE key = $1", [
        input.key,
      ]);
      expect(await service.once(input, true, () => Promise.resolve({ status: 200, data: 'second' }))).toMatchObject({
        answer: { data: 'second' },
        replayed: false,
      });
    });
  });

  it('stores no secret in plain text', async () => {
    const minted = await mint(uniqueName('k'), { name: 'sealed' });
    const { secret } = minted.body.data;
    const rows = await make.sql(
      "SELECT encode(answer, 'escape') AS answer FROM idempotency_records WHERE answer IS NOT NULL",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(8, 30));
  });

  it('stores no hash that helps to guess a password', async () => {
    const [key, body] = [uniqueName('k'), { login: ada.user.username, password: ada.password }];
    expect((await app.post('/api/v1/auth/sign-in', body, { headers: { 'idempotency-key': key } })).status).toBe(200);
    const [row] = await make.sql<{ fingerprint: Buffer }>(
      'SELECT fingerprint FROM idempotency_records WHERE key = $1',
      [key],
    );
    const guess = createHash('sha256')
      .update(JSON.stringify(['/api/v1/auth/sign-in', body]))
      .digest();
    expect(row!.fingerprint).toHaveLength(guess.length);
    expect(row!.fingerprint.equals(guess)).toBe(false);
  });
});

describe('Dry-Run', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);

  it('returns the result without secrets, and changes nothing', async () => {
    const person = await make.person();
    const dry = { headers: { 'dry-run': 'true' } };
    const minted = await app.post('/api/v1/keys', { name: 'would be' }, as(person, dry));
    expect(minted.status).toBe(201);
    expect(minted.body).toMatchObject({ data: { name: 'would be', status: 'active' }, meta: { dry_run: true } });
    expect(minted.body.data).not.toHaveProperty('secret');
    expect((await app.fetch('/api/v1/keys', as(person))).body.data).toEqual([]);

    const messages = await make.sql('SELECT id FROM outbox_messages ORDER BY id');
    const input = {
      username: uniqueName('dry'),
      email: `${uniqueName('dry')}@example.org`,
      password: 'a-long-enough-secret',
    };
    const signedUp = await app.post('/api/v1/auth/sign-up', input, dry);
    expect(signedUp.body.data).not.toHaveProperty('session_token');
    expect(await make.sql('SELECT 1 FROM users WHERE username = $1', [input.username])).toEqual([]);
    expect(await make.sql('SELECT id FROM outbox_messages ORDER BY id')).toEqual(messages);
    expect((await app.post('/api/v1/auth/sign-up', input)).status).toBe(201);
    expect(await make.sql('SELECT id FROM outbox_messages ORDER BY id')).not.toEqual(messages);
  });

  it('validates and authorizes like the real request', async () => {
    const person = await make.person();
    const dry = { headers: { 'dry-run': 'true' } };
    expect((await app.post('/api/v1/keys', { name: '' }, as(person, dry))).status).toBe(400);
    expect((await app.post('/api/v1/keys', { name: 'x' }, dry)).status).toBe(401);
    expect(
      (await app.post('/api/v1/keys', { name: 'x' }, as(await make.key(person, { scopes: ['projects:read'] }), dry)))
        .status,
    ).toBe(403);
    const key = (await app.post('/api/v1/keys', { name: 'stays' }, as(person))).body.data;
    expect((await app.call('DELETE', `/api/v1/keys/${key.id}`, as(person, dry))).status).toBe(204);
    expect((await app.fetch('/api/v1/me', as(key.secret))).status).toBe(200);
  });

  it('accepts only true and false', async () => {
    const person = await make.person();
    const answer = await send(
      app,
      ['POST', '/api/v1/keys'],
      { name: 'x' },
      as(person, { headers: { 'dry-run': 'perhaps' } }),
    );
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'Dry-Run']);
    expect(
      (await app.post('/api/v1/keys', { name: 'x' }, as(person, { headers: { 'dry-run': 'false' } }))).body.data,
    ).toHaveProperty('secret');
  });
});
