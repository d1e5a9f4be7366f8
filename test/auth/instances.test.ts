import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { mailTo } from '../support/mailbox.js';
import { type TestApp, useApp } from '../support/test-app.js';

describe('several instances of the service', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let other: TestApp;

  beforeAll(async () => {
    other = await app.another();
  });
  afterAll(() => other.stop());

  /** What both answer, each having remembered the caller. */
  const both = (path: string, caller: Person | string): Promise<unknown[]> =>
    Promise.all(
      [app, other].map(async (instance) => {
        const { status, body } = await instance.fetch(path, as(caller));
        return status === 200 ? 200 : (body.error.code as string);
      }),
    );

  it('reject a session on the next request after sign-out on another instance', async () => {
    const person = await make.person();
    expect(await both('/api/v1/me', person)).toEqual([200, 200]);
    await app.call('POST', '/api/v1/auth/sign-out', as(person));
    expect(await both('/api/v1/me', person)).toEqual(['invalid_session', 'invalid_session']);
  });

  it('reject old tokens on the next request after a rotation or a change of the password', async () => {
    const person = await make.person();
    const second = expectStatus(
      200,
      await app.post('/api/v1/auth/sign-in', { login: person.user.username, password: person.password }),
    ).body.data.session_token as string;
    const third = expectStatus(
      200,
      await app.post('/api/v1/auth/sign-in', { login: person.user.username, password: person.password }),
    ).body.data.session_token as string;
    for (const token of [person.sessionToken, second, third])
      expect(await both('/api/v1/me', token)).toEqual([200, 200]);
    const rotated = expectStatus(200, await app.call('POST', '/api/v1/auth/session/rotate', as(second))).body.data
      .session_token as string;
    expect(await both('/api/v1/me', rotated)).toEqual([200, 200]);
    expectStatus(
      200,
      await send(
        app,
        ['PUT', '/api/v1/auth/password'],
        { current_password: person.password, new_password: 'another long secret' },
        as(person),
      ),
    );
    expect(await both('/api/v1/me', person)).toEqual([200, 200]);
    for (const token of [rotated, third])
      expect(await both('/api/v1/me', token)).toEqual(['invalid_session', 'invalid_session']);
    expect(await both('/api/v1/me', second)).toEqual(['invalid_session', 'invalid_session']);
  });

  it('apply a changed role, a removed member and a deleted organization on the next request', async () => {
    const [ada, grace] = [await make.person(), await make.person()];
    const org = await make.org(ada);
    await make.member(org, grace, 'admin');
    const log = `/api/v1/orgs/${org.id}/audit-log`;
    expect(await both(log, grace)).toEqual([200, 200]);
    expectStatus(
      200,
      await send(app, ['PATCH', `/api/v1/orgs/${org.id}/members/${grace.user.id}`], { role: 'member' }, as(ada)),
    );
    expect(await both(log, grace)).toEqual(['insufficient_scopes', 'insufficient_scopes']);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}/members/${grace.user.id}`, as(ada)));
    expect(await both(log, grace)).toEqual(['organization_not_found', 'organization_not_found']);
    expect(await both(log, ada)).toEqual([200, 200]);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(ada)));
    expect(await both(log, ada)).toEqual(['organization_not_found', 'organization_not_found']);
  });

  it('leave sending messages to a worker', async () => {
    const { user } = await make.person();
    const worker = await app.another({ role: 'worker' });
    try {
      const { token } = await mailTo(worker, user.email, 'Verify');
      expectStatus(200, await other.post('/api/v1/auth/verify-email', { token }));
    } finally {
      await worker.stop();
    }
  });
});
