import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../src/platform/time/clock.js';
import { decide } from '../support/browser-sign-in.js';
import { type Ended, useCommandLine } from '../support/command-line.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const FLOWS = '/api/v1/auth/flows';

describe('service login in a browser', () => {
  const app = useApp();
  const make = new Make(app);
  const service = useCommandLine(() => app.url);
  let ada: Person;
  let opened: string;
  let browser: string;

  beforeAll(async () => {
    ada = await make.person();
    opened = join(service.home, 'opened');
    browser = join(service.home, 'browser');
    // It opens nothing: the tests do what a person would do there.
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`, {
      mode: 0o755,
    });
  });
  beforeEach(() => {
    for (const file of [opened, service.credentialsFile]) rmSync(file, { force: true });
  });

  /** The address that the command opened, with the sign-in in it. */
  async function flowOf(): Promise<{ readonly id: string; readonly url: URL }> {
    await eventually(() => existsSync(opened), 'an opened address', 20_000);
    const url = new URL(readFileSync(opened, 'utf8'));
    return { id: url.searchParams.get('flow')!, url };
  }
  const login = (...options: string[]): Promise<Ended> =>
    service.run(['login', ...options], { env: { BROWSER: browser } });
  const placeOf = async (id: string): Promise<URL> =>
    new URL((await app.fetch(`${FLOWS}/${id}`, as(ada))).body.data.return_to as string);
  const decided = async (what: 'approve' | 'deny', id: string): Promise<string> =>
    expectStatus(200, await decide(app, what, { id }, as(ada))).body.data.redirect_to as string;
  const keys = async (): Promise<any[]> =>
    expectStatus(200, await app.fetch('/api/v1/keys', as(await make.key(ada)))).body.data;

  it('stores a key once the person has let it in, and ends its session', async () => {
    const ended = login('--browser');
    const { id, url } = await flowOf();
    expect(`${url.origin}${url.pathname}${url.search}`).toBe(`http://api.test/app/sign-in/approve?flow=${id}`);
    const asks = expectStatus(200, await app.fetch(`${FLOWS}/${id}`, as(ada))).body.data;
    expect(asks.client_name).toBe(`Command line on ${hostname()}`);
    const page = await fetch(await decided('approve', id));
    expect([page.status, page.headers.get('content-security-policy'), page.headers.get('referrer-policy')]).toEqual([
      200,
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'no-referrer',
    ]);
    expect(await page.text()).toContain('You can close this window.');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `You are logged in at ${app.url}.\n` });
    expect(stderr).toContain(url.href);
    expect(stderr).not.toContain('svc_');
    expect(JSON.parse((await service.run(['whoami', '--json'])).stdout)).toMatchObject({
      user: { username: ada.user.username },
    });
    expect((await keys()).map(({ name }) => name)).toContain(`Command line on ${hostname()}`);
    expect((await app.fetch('/api/v1/auth/sessions', as(ada))).body.data).toHaveLength(1);
  });

  it('lets the sign-in begin with a passkey, and prints JSON', async () => {
    const ended = login('--passkey', '--json');
    const { id, url } = await flowOf();
    expect(url.search).toBe(`?flow=${id}&hint=passkey`);
    await fetch(await decided('approve', id));
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ url: app.url, key_id: expect.stringMatching(/^key_/) });
  });

  it('takes one answer: with its state, its path and its name', async () => {
    const ended = login('--browser');
    const { id } = await flowOf();
    const place = await placeOf(id);
    const right = new URL(await decided('approve', id));
    const other = (change: (url: URL) => void): string => {
      const changed = new URL(right);
      change(changed);
      return changed.href;
    };
    for (const wrong of [
      place.href,
      place.origin,
      `${place.origin}/favicon.ico`,
      other((url) => {
        url.searchParams.delete('state');
      }),
      other((url) => {
        url.searchParams.set('state', 'A'.repeat(22));
      }),
      other((url) => {
        url.pathname = '/other';
      }),
    ])
      expect([wrong, (await fetch(wrong)).status]).toEqual([wrong, 404]);
    expect((await fetch(right, { method: 'POST' })).status).toBe(404);
    expect(await statusWithHost(right, 'evil.example')).toBe(404);
    expect((await fetch(right)).status).toBe(200);
    expect((await ended).code).toBe(0);
    await expect(fetch(right)).rejects.toThrow('fetch failed');
  });

  it('exits with 3 when the person does not let it in, and stores nothing', async () => {
    const ended = login('--browser');
    const { id } = await flowOf();
    expect(await (await fetch(await decided('deny', id))).text()).toContain('not logged in');
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('You did not approve the login in the browser.');
    expect(existsSync(service.credentialsFile)).toBe(false);
  });

  it('exits with 6 when another program of the machine sends a code, and stores nothing', async () => {
    const ended = login('--browser');
    const place = await placeOf((await flowOf()).id);
    place.searchParams.set('code', 'svc_flow_x');
    await fetch(place);
    const { code, stderr } = await ended;
    expect(code).toBe(6);
    expect(stderr).toContain('invalid_flow');
    expect(existsSync(service.credentialsFile)).toBe(false);
  });

  it('exits with 124 when nobody decides in time', async () => {
    const clock = app.get(Clock);
    const now = new Date(clock.now().getTime() - 10 * 60_000 + 1_000);
    const spy = jest.spyOn(clock, 'now').mockReturnValue(now);
    const { code, stderr } = await login('--browser').finally(() => {
      spy.mockRestore();
    });
    expect(code).toBe(124);
    expect(stderr).toContain('The login was not approved in time.');
  });

  it('ends with Ctrl-C', async () => {
    const interruption = flowOf();
    const { code, stdout } = await service.run(['login', '--browser'], { env: { BROWSER: browser }, interruption });
    expect({ code, stdout }).toEqual({ code: null, stdout: '' });
    await expect(fetch(await placeOf((await flowOf()).id))).rejects.toThrow('fetch failed');
  });

  it('goes on without a browser, because the address is printed', async () => {
    await make.sql('DELETE FROM browser_sign_ins');
    const ended = service.run(['login', '--browser'], { env: { BROWSER: join(service.home, 'no-such-program') } });
    let id: string | undefined;
    const begun = async (): Promise<boolean> => {
      id = (await make.sql<{ id: string }>('SELECT id FROM browser_sign_ins'))[0]?.id;
      return id !== undefined;
    };
    await eventually(begun, 'a begun sign-in', 20_000);
    await fetch(await decided('approve', id!));
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Open this address in your browser.*\nhttp:\/\/api\.test\/app\/sign-in\/approve\?flow=bsi_/,
    );
  });

  it('exits with 2 together with --key', async () => {
    expect((await login('--browser', '--key', '-')).code).toBe(2);
    expect(existsSync(opened)).toBe(false);
  });
});

/** Pages of other sites reach this machine by names of their own. */
const statusWithHost = (url: URL, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
