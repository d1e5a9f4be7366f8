import { as, expectStatus, Make, type Person } from '../support/make.js';
import { callMcp, OAuthBrowser, OAuthFlow, type Tokens } from '../support/oauth.js';
import { type TestApp, useApp } from '../support/test-app.js';

describe('grants of OAuth clients', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);
  const flow = new OAuthFlow(app);

  const connected = async (): Promise<{ person: Person; tokens: Tokens & { clientId: string }; id: string }> => {
    const person = await make.person();
    const tokens = await flow.connect(person);
    const [grant] = expectStatus(200, await app.fetch('/api/v1/grants', as(person))).body.data;
    return { person, tokens, id: grant.id as string };
  };
  const codeOf = async (call: ReturnType<TestApp['fetch']>): Promise<string> => {
    const { status, body } = await call;
    return `${status} ${body?.error?.code ?? body?.error ?? ''}`.trim();
  };

  describe('GET /api/v1/grants', () => {
    it('lists the own ones', async () => {
      const { person, id } = await connected();
      const { data } = expectStatus(200, await app.fetch(`/api/v1/grants/${id}`, as(person))).body;
      expect(data).toMatchObject({
        id,
        client_name: 'Tool of a test',
        redirect_host: 'client.example.com',
        way: 'registration',
        scopes: ['projects:read'],
        org_ids: [person.organization.id],
        status: 'active',
      });
    });

    it('refuses a caller without the scope, without a key, and with a bad page', async () => {
      const person = await make.person();
      const key = await make.key(person, { scopes: ['projects:read'] });
      expect(await codeOf(app.fetch('/api/v1/grants', as(key)))).toBe('403 insufficient_scopes');
      expect(await codeOf(app.fetch('/api/v1/grants'))).toBe('401 missing_api_key');
      expect(await codeOf(app.fetch('/api/v1/grants?limit=0', as(person)))).toBe('400 invalid_request');
    });

    it('shows the grants of another person to nobody', async () => {
      const { id } = await connected();
      const other = await make.person();
      expect(expectStatus(200, await app.fetch('/api/v1/grants', as(other))).body.data).toEqual([]);
      expect(await codeOf(app.fetch(`/api/v1/grants/${id}`, as(other)))).toBe('404 grant_not_found');
      expect(await codeOf(app.call('DELETE', `/api/v1/grants/${id}`, as(other)))).toBe('404 grant_not_found');
    });

    it('shows a key no grant that reaches further than itself', async () => {
      const person = await make.person();
      const org = await make.org(person);
      await flow.connect(person, { orgs: [person.organization.id, org.id] });
      const key = await make.key(person, { kind: 'org_bound', org_id: org.id });
      expect(expectStatus(200, await app.fetch('/api/v1/grants', as(key))).body.data).toEqual([]);
    });
  });

  describe('DELETE /api/v1/grants/:grant_id', () => {
    it('ends the next call in every process, and the refresh', async () => {
      const { person, tokens, id } = await connected();
      const other = await app.another();
      try {
        expectStatus(200, await callMcp(app, tokens.access_token));
        expectStatus(200, await callMcp(other, tokens.access_token));
        expectStatus(204, await app.call('DELETE', `/api/v1/grants/${id}`, as(person)));
        expect(await codeOf(callMcp(app, tokens.access_token))).toBe('401 revoked_api_key');
        expect(await codeOf(callMcp(other, tokens.access_token))).toBe('401 revoked_api_key');
        expect(await codeOf(flow.refresh(tokens.refresh_token, tokens.clientId))).toBe('400 invalid_grant');
      } finally {
        await other.stop();
      }
      const actions = await make.sql('SELECT action FROM audit_log WHERE org_id = $1', [person.organization.id]);
      expect(actions.map(({ action }) => action as string)).toContain('grant.ended');
      expectStatus(204, await app.call('DELETE', `/api/v1/grants/${id}`, as(person)));
    });

    it('refuses a caller without the scope or a key', async () => {
      const { person, id } = await connected();
      const key = await make.key(person, { scopes: ['keys:read'] });
      expect(await codeOf(app.call('DELETE', `/api/v1/grants/${id}`, as(key)))).toBe('403 insufficient_scopes');
      expect(await codeOf(app.call('DELETE', `/api/v1/grants/${id}`))).toBe('401 missing_api_key');
    });
  });

  it('end with their key', async () => {
    const { person, tokens, id } = await connected();
    const { data } = expectStatus(200, await app.fetch(`/api/v1/grants/${id}`, as(person))).body;
    expectStatus(200, await callMcp(app, tokens.access_token));
    expectStatus(204, await app.call('DELETE', `/api/v1/keys/${data.key_id}`, as(person)));
    expect(await codeOf(callMcp(app, tokens.access_token))).toBe('401 revoked_api_key');
    expect(await codeOf(flow.refresh(tokens.refresh_token, tokens.clientId))).toBe('400 invalid_grant');
    expect(expectStatus(200, await app.fetch(`/api/v1/grants/${id}`, as(person))).body.data.status).toBe('ended');
  });

  it('end after 30 days without a token, with the access that they gave', async () => {
    const { tokens, id } = await connected();
    await make.sql("UPDATE oauth_grants SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
    expect(await codeOf(flow.refresh(tokens.refresh_token, tokens.clientId))).toBe('400 invalid_grant');
    await app.runSchedule('expired-oauth');
    expect(await codeOf(callMcp(app, tokens.access_token))).toBe('401 revoked_api_key');
    expect(await make.sql('SELECT end_reason FROM oauth_grants WHERE id = $1', [id])).toEqual([{ end_reason: 'idle' }]);
  });

  it('end when their client gives them back', async () => {
    const { tokens } = await connected();
    const fields = new URLSearchParams({ token: tokens.refresh_token, client_id: tokens.clientId }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expectStatus(200, await app.call('POST', '/oauth/revoke', { headers, body: fields }));
    expect(await codeOf(callMcp(app, tokens.access_token))).toBe('401 revoked_api_key');
  });

  it('lose what the membership of their person loses', async () => {
    const [owner, member] = [await make.person(), await make.person()];
    const org = await make.org(owner);
    await make.member(org, member, 'member');
    const { access_token: token } = await flow.connect(member, { orgs: [org.id] });
    expectStatus(200, await callMcp(app, token));
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}/members/${member.user.id}`, as(owner)));
    expect((await callMcp(app, token)).text).not.toContain('"list_projects"');
  });

  it('are swept with the requests that nobody answered', async () => {
    const browser = new OAuthBrowser(app);
    await flow.ask(browser, { clientId: await flow.register() });
    await make.sql("UPDATE oauth_records SET expires_at = now() - interval '1 second'");
    await app.runSchedule('expired-oauth');
    expect(await make.sql('SELECT 1 FROM oauth_records')).toEqual([]);
  });
});
