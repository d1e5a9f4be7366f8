import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { SigningKeysService } from '../../src/modules/oauth/keys/signing-keys.service.js';
import { as, expectStatus, Make } from '../support/make.js';
import { callMcp, ISSUER, OAuthFlow, RESOURCE } from '../support/oauth.js';
import { type Answer, useApp } from '../support/test-app.js';

const MINUTE = 60;
const outcomeOf = ({ status, body }: Answer): string => `${status} ${body?.error?.code ?? ''}`.trim();

describe('access tokens', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const flow = new OAuthFlow(app);
  let good: string;
  let claims: JWTPayload;

  beforeAll(async () => {
    good = (await flow.connect(await new Make(app).person())).access_token;
    claims = decodeJwt(good);
  });

  const signed = async (
    changed: JWTPayload,
    { header = {}, key }: { header?: Record<string, string>; key?: Parameters<SignJWT['sign']>[0] } = {},
  ): Promise<string> => {
    const [jwk] = await app.get(SigningKeysService).privateJwks();
    return new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk!.kid!, ...header })
      .sign(key ?? jwk!);
  };
  const now = (): number => Math.floor(Date.now() / 1000);

  it('open /mcp, as a token that is signed here with the same claims does', async () => {
    expectStatus(200, await callMcp(app, good));
    expectStatus(200, await callMcp(app, await signed({})));
    expect(claims).toMatchObject({ iss: ISSUER, aud: RESOURCE, scope: 'projects:read' });
    expect(claims.exp! - claims.iat!).toBe(15 * MINUTE);
  });

  it.each<[string, JWTPayload]>([
    ['another audience', { aud: `${ISSUER}/api/v1` }],
    ['the issuer as audience', { aud: ISSUER }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no key', { key: undefined }],
    ['the id of no key', { key: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn' }],
  ])('with %s are refused', async (_, changed) => {
    expect((await callMcp(app, await signed(changed))).status).toBe(401);
  });

  it('of another type, of no kind of key and of an unknown key are refused', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect(outcomeOf(await callMcp(app, await signed({}, { header: { typ: 'JWT' } })))).toBe(
      '401 invalid_access_token',
    );
    expect(outcomeOf(await callMcp(app, await signed({}, { key: other })))).toBe('401 invalid_access_token');
    const unknown = await signed({}, { header: { kid: 'osk_unknown' } });
    expect(outcomeOf(await callMcp(app, unknown))).toBe('401 invalid_access_token');
  });

  it('without an algorithm, and with the public key as a secret, are refused', async () => {
    const [jwk] = expectStatus(200, await app.fetch('/oauth/jwks')).body.keys;
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const parts = (alg: string): string => `${encode({ alg, typ: 'at+jwt', kid: jwk.kid })}.${encode(claims)}`;
    const forged = parts('HS256');
    const mac = createHmac('sha256', pem).update(forged).digest('base64url');
    expect(outcomeOf(await callMcp(app, `${parts('none')}.`))).toBe('401 invalid_access_token');
    expect(outcomeOf(await callMcp(app, `${forged}.${mac}`))).toBe('401 invalid_access_token');
    expect(jwk).not.toHaveProperty('d');
  });

  it('are refused when they are too old, and when they would last longer than ours', async () => {
    const old = { iat: now() - 16 * MINUTE, exp: now() - MINUTE };
    const refused = await callMcp(app, await signed(old));
    expect(outcomeOf(refused)).toBe('401 access_token_expired');
    expect(refused.headers.get('www-authenticate')).toMatch(/error="invalid_token".*resource_metadata="/);
    const long = { iat: now() - 60 * MINUTE, exp: now() + 60 * MINUTE };
    expect((await callMcp(app, await signed(long))).status).toBe(401);
    expect((await callMcp(app, await signed({ iat: now() + 5 * MINUTE, exp: now() + 15 * MINUTE }))).status).toBe(401);
  });

  it('lead to the person with all scopes that a tool needs, when it is beyond the grant', async () => {
    const refused = await callMcp(app, good, 'tools/call', { name: 'execute_sql', arguments: {} });
    expect(outcomeOf(refused)).toBe('403 insufficient_scopes');
    const missing = ['databases:read', 'databases:write'];
    expect(refused.body.error.details).toMatchObject({ missing_scopes: missing, lacked_by: 'key' });
    const challenge = refused.headers.get('www-authenticate');
    expect(challenge).toMatch(/^Bearer error="insufficient_scope", /);
    expect(challenge).toContain(`scope="projects:read ${missing.join(' ')}"`);
    expect(challenge).toContain('resource_metadata="');
    const allowed = await callMcp(app, good, 'tools/call', { name: 'list_projects', arguments: {} });
    expectStatus(200, allowed);
  });

  it('get the answer of a missing tool where no scope would help', async () => {
    const none = await callMcp(app, good, 'tools/call', { name: 'no_such_tool', arguments: {} });
    expect(expectStatus(200, none).text).toContain('There is no tool no_such_tool for this caller.');
    const narrowed = await app.post(
      '/mcp?read_only=1',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_project', arguments: {} } },
      as(good, { headers: { accept: 'application/json, text/event-stream' } }),
    );
    expect(expectStatus(200, narrowed).text).toContain('There is no tool create_project for this caller.');
  });

  it('cannot do more than their key by naming more scopes', async () => {
    const tools = await callMcp(app, await signed({ scope: 'projects:read projects:write' }));
    expect(expectStatus(200, tools).text).not.toContain('create_project');
  });

  it.each(['/api/v1/me', '/api/v1/projects', '/api/v1/keys', '/api/v1/grants'])(
    'open no other route: %s',
    async (path) => {
      for (const headers of [{ authorization: `Bearer ${good}` }, { 'x-api-key': good }] as Record<string, string>[])
        expect(outcomeOf(await app.fetch(path, { headers }))).toBe('401 session_token_not_allowed');
    },
  );

  it('are not found by the names of their keys', async () => {
    const name = `${String(claims.key)} projects:read`;
    for (const headers of [{ 'x-api-key': name }, { authorization: `Bearer ${name}` }] as Record<string, string>[])
      expect((await app.fetch('/api/v1/projects', { headers })).status).toBe(401);
  });

  it('refuse session tokens at /mcp with the way to a token', async () => {
    const { sessionToken } = await new Make(app).person();
    const refused = await callMcp(app, sessionToken);
    expect(outcomeOf(refused)).toBe('401 session_token_not_allowed');
    expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
  });

  it('are signed by keys that the database has only encrypted', async () => {
    const [row] = await new Make(app).sql<{ text: string }>(
      "SELECT encode(private_key, 'escape') || public_jwk::text AS text FROM oauth_signing_keys",
    );
    expect(row!.text).not.toMatch(/PRIVATE KEY|"d":/);
  });

  it('are signed by a new key after 90 days, and verified by the old one meanwhile', async () => {
    const make = new Make(app);
    await make.sql("UPDATE oauth_signing_keys SET created_at = created_at - interval '90 days'");
    await app.runSchedule('oauth-signing-keys');
    expect(await make.sql('SELECT 1 FROM oauth_signing_keys')).toHaveLength(2);
    expectStatus(200, await callMcp(app, good));
    await make.sql("UPDATE oauth_signing_keys SET created_at = created_at - interval '2 days'");
    await app.runSchedule('oauth-signing-keys');
    expect(await make.sql('SELECT 1 FROM oauth_signing_keys')).toHaveLength(1);
  });
});
