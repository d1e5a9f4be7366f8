import { randomBytes } from 'node:crypto';
import { createToken } from '../../src/modules/auth/token-format.js';
import { client } from '../support/built-client.js';
import { connectMcp, sendMcp } from '../support/mcp-clients.js';
import { as, Make, type Org, type Person } from '../support/make.js';
import { type Answer, type CallOptions, useApp, WITHOUT_PROXY } from '../support/test-app.js';

const METRICS_TOKEN = 'metrics-token-of-the-document';

describe('§5 Authentication', () => {
  describe('Metrics token', () => {
    const open = useApp({}, 'api');
    const closed = useApp({ METRICS_TOKEN }, 'api');

    it(
      'when METRICS_TOKEN is set, GET /metrics requires the header Authorization: Bearer ' + '<METRICS_TOKEN>',
      async () => {
        const statuses = [];
        for (const headers of [
          {},
          { authorization: 'Bearer something-else-of-length' },
          { authorization: `Basic ${METRICS_TOKEN}` },
          { authorization: `Bearer ${METRICS_TOKEN}` },
        ]) {
          statuses.push((await closed.fetch('/metrics', { headers })).status);
        }
        expect(statuses).toEqual([401, 401, 401, 200]);
      },
    );

    it('when METRICS_TOKEN is not set, GET /metrics requires none', async () => {
      expect((await open.fetch('/metrics')).status).toBe(200);
    });
  });

  describe('Ops token', () => {
    const OPS_TOKEN = 'an-ops-token-for-the-tests';
    const open = useApp(WITHOUT_PROXY, 'api');
    const closed = useApp({ OPS_TOKEN }, 'api');
    const endpoints = [
      ['GET', '/ops'],
      ['POST', '/ops/alert'],
      ['GET', '/ops/features'],
      ['POST', '/ops/features'],
    ] as const;

    it.each(endpoints)(
      'when OPS_TOKEN is set, %s %s requires Authorization: Bearer <OPS_TOKEN>',
      async (method, path) => {
        const ask = async (authorization: string | undefined): Promise<number> => {
          const headers = {
            'content-type': 'application/json',
            ...(authorization === undefined ? {} : { authorization }),
          };
          return (await closed.call(method, path, { headers, ...(method === 'POST' ? { body: '{}' } : {}) })).status;
        };
        expect([
          await ask(undefined),
          await ask('Bearer something-else-of-length'),
          await ask(`Basic ${OPS_TOKEN}`),
        ]).toEqual([401, 401, 401]);
        // Let in: what an empty body is worth is another matter.
        expect(await ask(`Bearer ${OPS_TOKEN}`)).toBe(method === 'POST' ? 400 : 200);
      },
    );

    it.each(endpoints)(
      'when OPS_TOKEN is not set, %s %s requires none of a program on the same machine',
      async (method, path) => {
        expect(
          (
            await open.call(method, path, {
              direct: true,
              ...(method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {}),
            })
          ).status,
        ).not.toBe(401);
      },
    );
  });

  describe('the API', () => {
    const app = useApp({}, 'api');
    const make = new Make(app);
    let ada: Person;
    let acme: Org;
    let other: Org;

    beforeAll(async () => {
      ada = await make.person({ plan: 'pro' });
      acme = await make.org(ada, { plan: 'pro' });
      other = await make.org(ada, { plan: 'pro' });
    });

    const current = (credential?: string): Promise<Answer> =>
      app.fetch('/api/v1/keys/current', credential === undefined ? {} : as(credential));
    const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
    const inOrg = (key: string, org: string): Promise<Answer> =>
      app.fetch('/api/v1/me', as(key, { headers: { 'x-service-org': org } }));
    const minted = async (body: object = {}): Promise<{ id: string; secret: string }> =>
      (await app.post('/api/v1/keys', { name: 'a key', ...body }, as(ada))).body.data as { id: string; secret: string };
    const byAda = (method: string, path: string, options: CallOptions & { body?: string } = {}): Promise<Answer> =>
      app.call(method, path, { ...options, headers: { ...as(ada).headers, ...options.headers } });

    describe('API key', () => {
      it('the API uses API keys', async () => {
        const { id, secret } = await minted();
        const answer = await current(secret);
        expect([answer.status, answer.body.data.id]).toEqual([200, id]);
      });

      it('a missing key gives 401', async () => {
        expect(codeOf(await current())).toEqual([401, 'missing_api_key']);
      });

      it('an invalid key gives 401', async () => {
        expect(codeOf(await current('svc_pat_nonsense'))).toEqual([401, 'malformed_api_key']);
        expect(codeOf(await current(createToken('pat', randomBytes(24))))).toEqual([401, 'invalid_api_key']);
      });

      it('an expired key gives 401', async () => {
        const endsAtMs = Date.now() + 1_500;
        const { secret } = await minted({ expires_at: new Date(endsAtMs).toISOString() });
        expect((await current(secret)).status).toBe(200);
        await new Promise((resolve) => {
          setTimeout(resolve, endsAtMs - Date.now() + 50);
        });
        expect(codeOf(await current(secret))).toEqual([401, 'expired_api_key']);
      });

      it('a revoked key gives 401', async () => {
        const { id, secret } = await minted();
        expect((await current(secret)).status).toBe(200);
        expect((await byAda('DELETE', `/api/v1/keys/${id}`)).status).toBe(204);
        expect(codeOf(await current(secret))).toEqual([401, 'revoked_api_key']);
      });

      it('a rotated key gives 401', async () => {
        const { id, secret } = await minted();
        const rotated = await byAda('POST', `/api/v1/keys/${id}/rotate`);
        expect(codeOf(await current(secret))).toEqual([401, 'rotated_api_key']);
        expect((await current(rotated.body.data.secret as string)).status).toBe(200);
      });

      it('a session token given where an API key is expected also gives 401', async () => {
        expect(codeOf(await current(ada.sessionToken))).toEqual([401, 'session_token_not_allowed']);
        expect((await app.fetch('/api/v1/me', as(ada))).status).toBe(200);
      });

      it('the client library reads its key from the environment variable SERVICE_API_KEY', async () => {
        const { id, secret } = await minted();
        process.env['SERVICE_API_KEY'] = secret;
        try {
          expect((await new client.Service({ baseUrl: app.url }).keys.current()).id).toBe(id);
        } finally {
          delete process.env['SERVICE_API_KEY'];
        }
      });
    });

    describe('Key scope', () => {
      it('a valid key that lacks the scope for a resource gives 403', async () => {
        const { secret } = await minted({ scopes: ['keys:read'] });
        expect((await app.fetch('/api/v1/keys', as(secret))).status).toBe(200);
        expect(codeOf(await app.post('/api/v1/keys', { name: 'another' }, as(secret)))).toEqual([
          403,
          'insufficient_scopes',
        ]);
      });

      it('a valid key that lacks org access for a resource gives 403', async () => {
        const { secret } = await minted();
        const outsider = await make.person();
        expect(codeOf(await inOrg(secret, outsider.organization.id))).toEqual([403, 'org_access_denied']);
      });
    });

    describe('Key kinds', () => {
      it('a personal key works for cross-organization work', async () => {
        const { secret } = await minted({ kind: 'personal' });
        for (const org of [acme, other]) expect((await inOrg(secret, org.id)).body.data.organization.id).toBe(org.id);
      });

      it('a select-orgs key works for cross-organization work', async () => {
        const { secret } = await minted({ kind: 'select_orgs', org_ids: [acme.id, other.id] });
        for (const org of [acme, other]) expect((await inOrg(secret, org.id)).body.data.organization.id).toBe(org.id);
      });

      it('an org-bound key works only against the organization it is tied to', async () => {
        const { secret } = await minted({ kind: 'org_bound', org_id: acme.id });
        expect((await app.fetch('/api/v1/me', as(secret))).body.data.organization.id).toBe(acme.id);
        expect((await inOrg(secret, acme.id)).status).toBe(200);
      });

      it('a call to another organization with an org-bound key gives 403 with a key-org mismatch', async () => {
        const { secret } = await minted({ kind: 'org_bound', org_id: acme.id });
        expect(codeOf(await inOrg(secret, other.id))).toEqual([403, 'key_org_mismatch']);
        expect(codeOf(await app.fetch(`/api/v1/orgs/${other.id}`, as(secret)))).toEqual([403, 'key_org_mismatch']);
      });

      const mcpAs = async (secret: string, org: Org): Promise<unknown> => {
        const mcp = await connectMcp(app, secret, { query: `?org=${org.id}` });
        try {
          return (await mcp.callTool({ name: 'whoami', arguments: {} })).structuredContent;
        } finally {
          await mcp.close();
        }
      };

      it('a personal key and a select-orgs key work for MCP work', async () => {
        for (const kind of [{ kind: 'personal' }, { kind: 'select_orgs', org_ids: [acme.id, other.id] }]) {
          const { secret } = await minted(kind);
          for (const org of [acme, other])
            expect(await mcpAs(secret, org)).toMatchObject({ data: { organization: { id: org.id } } });
        }
      });

      it('an org-bound key works for MCP work only against the organization it is tied to', async () => {
        const { secret } = await minted({ kind: 'org_bound', org_id: acme.id });
        expect(await mcpAs(secret, acme)).toMatchObject({ data: { organization: { id: acme.id } } });
        const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        const refused = await sendMcp(app, secret, list, { query: `?org=${other.id}` });
        expect(codeOf(refused)).toEqual([403, 'key_org_mismatch']);
      });
    });

    it('Anonymous: the sandbox endpoint needs no key', async () => {
      // What is wrong with this body is said of a call that was let in.
      expect(codeOf(await app.post('/api/v1/sandbox/try', {}))).toEqual([400, 'invalid_request']);
    });
  });
});
