import { as, expectStatus, Make, type Org, type Person } from '../support/make.js';
import { callMcp, OAuthBrowser, OAuthFlow, type Tokens } from '../support/oauth.js';
import { type Answer, type TestApp, useApp } from '../support/test-app.js';

describe('grants of OAuth clients', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);
  const flow = new OAuthFlow(app);
  let other: TestApp;
  beforeAll(async () => {
    other = await app.another({ role: 'api' });
  });
  afterAll(() => other.stop());

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
      const { person, tokens, id } = await connected();
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
      expect(data).not.toHaveProperty('last_used_at');
      expectStatus(200, await callMcp(app, tokens.access_token));
      await app.runSchedule('key-usage');
      const used = expectStatus(200, await app.fetch(`/api/v1/grants/${id}`, as(person))).body.data;
      expect(Date.parse(used.last_used_at as string)).toBeGreaterThanOrEqual(Date.parse(used.created_at as string));
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
      expectStatus(200, await callMcp(app, tokens.access_token));
      expectStatus(200, await callMcp(other, tokens.access_token));
      expectStatus(204, await app.call('DELETE', `/api/v1/grants/${id}`, as(person)));
      expect(await codeOf(callMcp(app, tokens.access_token))).toBe('401 revoked_api_key');
      expect(await codeOf(callMcp(other, tokens.access_token))).toBe('401 revoked_api_key');
      expect(await codeOf(flow.refresh(tokens.refresh_token, tokens.clientId))).toBe('400 invalid_grant');
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

  describe('/api/v1/orgs/:org_id/grants', () => {
    /** A member who connected a client to the organization and to the own one. */
    const memberConnected = async (): Promise<{
      owner: Person;
      member: Person;
      org: Org;
      tokens: Tokens;
      path: string;
    }> => {
      const [owner, member] = [await make.person(), await make.person()];
      const org = await make.org(owner);
      await make.member(org, member, 'member');
      const tokens = await flow.connect(member, { orgs: [org.id, member.organization.id] });
      const path = `/api/v1/orgs/${org.slug}/grants`;
      const [grant] = expectStatus(200, await app.fetch(path, as(owner))).body.data;
      expect(grant).toMatchObject({
        client_name: 'Tool of a test',
        redirect_host: 'client.example.com',
        scopes: ['projects:read'],
        user: { id: member.user.id, username: member.user.username },
      });
      // Where else the client reaches is the business of the member.
      expect(JSON.stringify(grant)).not.toContain(member.organization.id);
      return { owner, member, org, tokens, path: `${path}/${grant.id}` };
    };
    const projectsIn = (on: TestApp, token: string, query = ''): Promise<Answer> => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
      return on.post(`/mcp${query}`, call, as(token, { headers: { accept: 'application/json, text/event-stream' } }));
    };

    it('ends the access there from the next call on in every process, and nowhere else', async () => {
      const { owner, member, org, tokens, path } = await memberConnected();
      for (const on of [app, other]) expectStatus(200, await projectsIn(on, tokens.access_token, `?org=${org.id}`));
      expectStatus(204, await app.call('DELETE', path, as(owner)));
      for (const on of [app, other]) {
        expect((await projectsIn(on, tokens.access_token, `?org=${org.id}`)).text).toContain('org_access_denied');
        expect(expectStatus(200, await projectsIn(on, tokens.access_token)).text).not.toContain('"isError":true');
      }
      const [own] = expectStatus(200, await app.fetch('/api/v1/grants', as(member))).body.data;
      expect(own).toMatchObject({ org_ids: [member.organization.id], status: 'active' });
      const ended = "SELECT details->>'reason' AS reason, org_id, actor_user_id FROM audit_log WHERE target_id = $1";
      expect(await make.sql(`${ended} AND action = 'grant.ended'`, [own.id])).toEqual([
        { reason: 'organization', org_id: org.id, actor_user_id: owner.user.id },
      ]);
      expect(await codeOf(app.call('DELETE', path, as(owner)))).toBe('404 grant_not_found');
    });

    it('ends the grant if it reaches nothing else', async () => {
      const [owner, member] = [await make.person(), await make.person()];
      const org = await make.org(owner);
      await make.member(org, member, 'member');
      const tokens = await flow.connect(member, { orgs: [org.id] });
      const path = `/api/v1/orgs/${org.id}/grants`;
      const [{ id }] = expectStatus(200, await app.fetch(path, as(owner))).body.data;
      expectStatus(204, await app.call('DELETE', `${path}/${id}`, as(owner)));
      expect(await codeOf(callMcp(app, tokens.access_token))).toBe('401 revoked_api_key');
      expect(await codeOf(flow.refresh(tokens.refresh_token, tokens.clientId))).toBe('400 invalid_grant');
      expect(expectStatus(200, await app.fetch(path, as(owner))).body.data).toEqual([]);
      expect(expectStatus(200, await app.fetch(`/api/v1/grants/${id}`, as(member))).body.data.status).toBe('ended');
    });

    it('is for those who manage members, within their own organization', async () => {
      const { owner, member, org, path } = await memberConnected();
      const list = `/api/v1/orgs/${org.id}/grants`;
      expect(await codeOf(app.fetch(list, as(member)))).toBe('403 insufficient_scopes');
      expect(await codeOf(app.call('DELETE', path, as(member)))).toBe('403 insufficient_scopes');
      const key = await make.key(owner, { scopes: ['keys:write'] });
      expect(await codeOf(app.fetch(list, as(key)))).toBe('403 insufficient_scopes');
      expect(await codeOf(app.fetch(list))).toBe('401 missing_api_key');
      expect(await codeOf(app.call('DELETE', path))).toBe('401 missing_api_key');
      expect(await codeOf(app.fetch(`${list}?cursor=nothing`, as(owner)))).toBe('400 invalid_request');
      const outsider = await make.person();
      expect(await codeOf(app.fetch(list, as(outsider)))).toBe('404 organization_not_found');
      expect(await codeOf(app.call('DELETE', path, as(outsider)))).toBe('404 organization_not_found');
      // The grant of another organization is unknown in theirs.
      const own = `/api/v1/orgs/${outsider.organization.id}/grants`;
      expect(await codeOf(app.call('DELETE', `${own}/${path.split('/').at(-1)}`, as(outsider)))).toBe(
        '404 grant_not_found',
      );
      const admin = await make.person();
      await make.member(org, admin, 'admin');
      expectStatus(204, await app.call('DELETE', path, as(admin)));
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
