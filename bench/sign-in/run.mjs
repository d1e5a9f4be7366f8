/**
 * `npm run bench:sign-in [-- rounds] [sign-ins a round]`: the processor time of the service for a sign-in by SSO,
 * beside one by Google and one by password, in turns of one run. Both providers are the same issuer of OpenID Connect
 * in this process. A call that does nothing is measured beside them, as a sign-in by a provider takes five calls.
 */
import '../../scripts/on-pinned-node.mjs';
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT } from 'jose';
import pg from 'pg';
import { cpuOf, descendantsOf, median, ROOT, startService } from '../service.mjs';

// An account has 100 sign-ins by password in a quarter of an hour.
const [rounds = 5, signIns = 16] = process.argv.slice(2).map(Number);
const CLIENT = { client_id: 'bench', client_secret: 'a-client-secret-of-the-bench' };
const RETURN_TO = 'http://127.0.0.1:49152/signed-in';
const DOMAIN = 'acme.example.com';
const PASSWORD = 'a-long-enough-secret';

const require = createRequire(import.meta.url);
const built = (path) => require(join(ROOT, 'dist/src', path));
const { startEmbeddedPostgres } = built('roles/embedded/embedded-postgres.js');
const { startEmbeddedRedis } = built('roles/embedded/embedded-redis.js');
const { migrate } = built('roles/migrate.js');

const dataDir = mkdtempSync(join(tmpdir(), 'bench-sign-in-'));
const place = { dataDir, durable: true, log: () => undefined };
const postgres = await startEmbeddedPostgres(place);
const redis = await startEmbeddedRedis(place);
const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
const issuer = await startIssuer();
let service;
let calls = 0;

try {
  await migrate(postgres.url);
  service = await startService({
    settings: {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      API_KEY_PEPPER: randomBytes(32).toString('base64'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      TRUST_PROXY: '1',
      ANONYMOUS_CALLS_PER_SECOND: '1000',
      SSO_ALLOWED_HOSTS: new URL(issuer.url).host,
      SIGN_IN_GOOGLE_CLIENT_ID: CLIENT.client_id,
      SIGN_IN_GOOGLE_CLIENT_SECRET: CLIENT.client_secret,
      SIGN_IN_GOOGLE_ISSUER: issuer.url,
    },
  });
  const org = await connectedOrg();
  const ways = {
    'SSO (OpenID Connect)': () => throughProvider({ method: 'sso', org }, `ada@${DOMAIN}`),
    Google: () => throughProvider({ method: 'google' }, 'grace@example.org'),
    password: () => call('POST', '/auth/sign-in', { login: 'ada', password: PASSWORD }),
    'a call that does nothing': () => get('/live'),
  };
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, a load of ` +
      `${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  const measured = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (const work of Object.values(ways)) for (let index = 0; index < 10; index++) await work();
  for (let round = 0; round < rounds; round++) {
    const idlePerSecond = await idle();
    for (const [name, work] of round % 2 === 0 ? Object.entries(ways) : Object.entries(ways).reverse())
      measured[name].push(await costOf(work, idlePerSecond));
  }
  console.log('| Way | Processor time, median | Least and most |\n|---|---|---|');
  for (const [name, values] of Object.entries(measured))
    console.log(
      `| ${name} | ${shown(median(values))} | ${Math.min(...values).toFixed(1)} to ${shown(Math.max(...values))} |`,
    );
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  await pool.end();
  issuer.close();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function shown(ms) {
  return `${ms.toFixed(1)} ms`;
}

/** Milliseconds of one piece of work, without what the service does anyway. */
async function costOf(work, idlePerSecond) {
  const [since, before] = [performance.now(), cpuOfService()];
  for (let index = 0; index < signIns; index++) await work();
  const seconds = (performance.now() - since) / 1_000;
  return (1_000 * (cpuOfService() - before - idlePerSecond * seconds)) / signIns;
}

async function idle() {
  const before = cpuOfService();
  await sleep(2_000);
  return (cpuOfService() - before) / 2;
}

function cpuOfService() {
  return cpuOf([service.pid, ...descendantsOf(service.pid)]);
}

/** An organization with a verified domain and an active connection. Returns its slug. */
async function connectedOrg() {
  const token = (await call('POST', '/auth/sign-in', { login: 'ada', password: PASSWORD })).session_token;
  const org = await call('POST', '/orgs', { name: 'Acme', slug: 'acme' }, token);
  await pool.query(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [org.id]);
  // Says in the database that the record was found.
  await pool.query(
    `INSERT INTO sso_domains (id, org_id, name, challenge_token, status, misses, created_at, verified_at, next_check_at)
     VALUES ($1, $2, $3, 'token', 'verified', 0, now(), now(), now() + interval '7 days')`,
    [`odom_${'0'.repeat(26)}`, org.id, DOMAIN],
  );
  const connections = `/orgs/${org.id}/sso/connections`;
  const oidc = { issuer: issuer.url, ...CLIENT };
  const { id } = await call('POST', connections, { name: 'Acme ID', type: 'oidc', oidc }, token);
  const { verifier, challenge } = proofKey();
  const begun = await call('POST', `${connections}/${id}/test`, { return_to: RETURN_TO, challenge }, token);
  const shown = { flow_id: begun.id, code: await walk(begun, `ada@${DOMAIN}`), verifier };
  await call('POST', `${connections}/${id}/test/complete`, shown, token);
  await call('POST', `${connections}/${id}/activate`, {}, token);
  return org.slug;
}

/** The whole sign-in, as a program and a browser do it. */
async function throughProvider(wanted, email) {
  const { verifier, challenge } = proofKey();
  const flow = await call('POST', '/auth/flows', { ...wanted, return_to: RETURN_TO, challenge });
  const code = await walk(flow, email);
  return call('POST', `/auth/flows/${flow.id}/complete`, { code, verifier });
}

/** The browser goes to the provider and comes back. Returns the code. */
async function walk({ authorize_url: begin }, email) {
  const started = await get(begin);
  const cookie = started.headers.getSetCookie()[0].split(';')[0];
  const finish = await get(issuer.authorize(locationOf(started), email), cookie);
  const back = await get(locationOf(finish), cookie);
  return new URL(locationOf(back)).searchParams.get('code');
}

function locationOf(response) {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`${response.url}: ${response.status}, and no redirect`);
  return new URL(location, service.url).href;
}

function proofKey() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Each call comes from an address of its own: an address has few sign-ins in a quarter of an hour. */
function nextAddress() {
  return `10.${++calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`;
}

async function get(address, cookie) {
  const { pathname, search } = new URL(address, service.url);
  const headers = { accept: 'text/html', 'x-forwarded-for': nextAddress(), ...(cookie && { cookie }) };
  const response = await fetch(`${service.url}${pathname}${search}`, { redirect: 'manual', headers });
  await response.arrayBuffer();
  return response;
}

async function call(method, path, body, token) {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': nextAddress(),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text).data;
}

async function startIssuer() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map();
  const reply = async (path, form, url) => {
    if (path === '/.well-known/openid-configuration')
      return {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
      };
    if (path === '/keys')
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'RS256', use: 'sig' }] };
    const { nonce, email } = codes.get(form.get('code'));
    codes.delete(form.get('code'));
    const claims = { nonce, email, email_verified: true, name: 'Ada Lovelace' };
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
      .setIssuer(url)
      .setAudience(CLIENT.client_id)
      .setSubject(email)
      .setIssuedAt()
      .setExpirationTime('1h');
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: await token.sign(privateKey) };
  };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname } = new URL(request.url, 'http://issuer');
      void reply(pathname, new URLSearchParams(Buffer.concat(chunks).toString()), url).then((body) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    /** Allows a request at once. Returns the address that the browser is sent back to. */
    authorize(location, email) {
      const query = new URL(location).searchParams;
      const code = randomUUID();
      codes.set(code, { nonce: query.get('nonce'), email });
      const answer = new URLSearchParams({ code, state: query.get('state'), iss: url });
      return `${query.get('redirect_uri')}?${answer}`;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
