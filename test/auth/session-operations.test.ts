import { SessionsService } from '../../src/modules/auth/sessions.service.js';
import { Database } from '../../src/platform/database/database.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const OPS_TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${OPS_TOKEN}` } };

describe('sessions that the operator ends', () => {
  const app = useApp({ OPS_TOKEN });
  const make = new Make(app);
  const codeOf = ({ status, body }: Answer): unknown => [status, body?.error?.code];
  const statusOf = async ({ sessionToken }: Pick<Person, 'sessionToken'>): Promise<number> =>
    (await app.fetch('/api/v1/me', as(sessionToken))).status;
  const endOf = (user: string, options: object = AS_OPERATOR): Promise<Answer> =>
    app.call('DELETE', `/ops/users/${user}/sessions`, options);
  const end = (body: object, options: object = AS_OPERATOR): Promise<Answer> =>
    send(app, ['POST', '/ops/sessions/end'], body, options);

  it('are all those of one person, by username or id, and the audit log of the person has them', async () => {
    const [person, other, third] = [await make.person(), await make.person(), await make.person()];
    const key = await make.key(person);
    const again = expectStatus(
      200,
      await app.post('/api/v1/auth/sign-in', { login: person.user.username, password: person.password }),
    ).body.data.session_token as string;
    expect(expectStatus(200, await endOf(person.user.username)).body).toEqual({ sessions: 2 });
    expect(expectStatus(200, await endOf(third.user.id)).body).toEqual({ sessions: 1 });
    expect(await Promise.all([person, { sessionToken: again }, third, other].map(statusOf))).toEqual([
      401, 401, 401, 200,
    ]);
    expectStatus(200, await app.fetch('/api/v1/me', as(key)));
    const entries = await make.sql(
      "SELECT details, actor_user_id FROM audit_log WHERE org_id = $1 AND action = 'session.ended'",
      [person.organization.id],
    );
    expect(entries).toEqual(Array(2).fill({ details: { reason: 'ended_by_operator' }, actor_user_id: null }));
    expect(expectStatus(200, await endOf(person.user.username)).body).toEqual({ sessions: 0 });
  });

  it('are those of all people that were opened until a time', async () => {
    const people = [await make.person(), await make.person()];
    const openedUntil = new Date().toISOString();
    const later = await make.person();
    const ended = expectStatus(200, await end({ openedUntil })).body;
    expect(ended).toEqual({ people: expect.any(Number), hasMore: false });
    expect(ended.people).toBeGreaterThanOrEqual(2);
    expect(await Promise.all([...people, later].map(statusOf))).toEqual([401, 401, 200]);
    expect(expectStatus(200, await end({ openedUntil })).body).toEqual({ people: 0, hasMore: false });
  });

  it('include one that is being opened from another one', async () => {
    const person = await make.person();
    const [{ id }] = (await make.sql('SELECT id FROM sessions WHERE user_id = $1', [person.user.id])) as [
      { id: string },
    ];
    const sessions = app.get(SessionsService);
    const database = app.get(Database);
    let commit: () => void = () => undefined;
    const decided = new Promise<void>((resolve) => (commit = resolve));
    let opened: string | undefined;
    const opening = database.transaction(async () => {
      opened = (await sessions.openFrom(id, { ip: '198.18.0.7', userAgent: 'program' }))?.token;
      await decided;
    });
    await eventually(() => opened !== undefined, 'a session is opened');
    const ending = endOf(person.user.username);
    await eventually(
      async () => (await make.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length > 0,
      'the end waits for it',
    );
    commit();
    await opening;
    expect(expectStatus(200, await ending).body).toEqual({ sessions: 2 });
    expect(await statusOf({ sessionToken: opened! })).toBe(401);
  });

  it('stay when the person is unknown, the time is none, or the caller is no operator', async () => {
    const person = await make.person();
    for (const user of ['nobody-of-that-name', 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn'])
      expect(codeOf(await endOf(user))).toEqual([404, 'account_not_found']);
    expect(codeOf(await endOf('no%20name'))).toEqual([400, 'invalid_request']);
    for (const openedUntil of ['yesterday', 5, undefined])
      expect(codeOf(await end({ openedUntil }))).toEqual([400, 'invalid_request']);
    for (const options of [{}, as(person), as(await make.key(person))]) {
      expect(codeOf(await endOf(person.user.username, options))).toEqual([401, 'invalid_token']);
      expect(codeOf(await end({ openedUntil: new Date().toISOString() }, options))).toEqual([401, 'invalid_token']);
    }
    expect(await statusOf(person)).toBe(200);
  });
});
