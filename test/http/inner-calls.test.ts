import { once } from 'node:events';
import { Readable } from 'node:stream';
import { InnerCalls, innerOriginOf, readUpTo } from '../../src/platform/http/inner-calls.js';
import { CarriedCaller } from '../../src/modules/auth/carried-caller.js';
import { as, Make, type Person } from '../support/make.js';
import { useApp, eventually } from '../support/test-app.js';
import type { Server } from 'node:http';

/** A call of the app's own API inside of its process. */
describe('inner calls', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  const ADDRESS = '203.0.113.9';
  let ada: Person;
  let key: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'builder' });
    key = await make.key(ada);
  });

  const open = (
    path: string,
    {
      method = 'GET',
      body,
      headers = {},
      token = key,
      signal = new AbortController().signal,
    }: {
      method?: string;
      body?: Buffer | Readable;
      headers?: Record<string, string>;
      token?: string;
      signal?: AbortSignal;
    } = {},
  ) =>
    app.get(InnerCalls).open({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
      origin: { address: ADDRESS, caller: new CarriedCaller(token, undefined) },
      signal,
    });
  const read = async (...call: Parameters<typeof open>): Promise<{ status: number; body: any }> => {
    const response = await open(...call);
    const { bytes } = await readUpTo(response, 10_000_000);
    return { status: response.statusCode!, body: JSON.parse(bytes.toString()) };
  };

  it('act as their caller, from its address, without spending a call', async () => {
    const remaining = async (): Promise<number> =>
      Number((await app.fetch('/api/v1/me', as(key))).headers.get('x-service-calls-remaining'));
    const before = await remaining();
    expect(await read('/api/v1/me')).toMatchObject({ status: 200, body: { data: { user: { id: ada.user.id } } } });
    expect(await remaining()).toBe(before - 1);
    const bound = await make.key(ada, { allowed_ips: ['203.0.113.8'] });
    expect(await read('/api/v1/me', { token: bound })).toMatchObject({
      status: 403,
      body: { error: { code: 'ip_not_allowed' } },
    });
    const allowed = await make.key(ada, { allowed_ips: [ADDRESS] });
    expect((await read('/api/v1/me', { token: allowed })).status).toBe(200);
  });

  it('pass the same guards, and validation, as a call over the network', async () => {
    const narrow = await make.key(ada, { scopes: ['projects:read'] });
    const json = { 'content-type': 'application/json' };
    expect(
      await read('/api/v1/projects', { method: 'POST', body: Buffer.from('{}'), headers: json, token: narrow }),
    ).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scopes' } } });
    expect(await read('/api/v1/projects', { method: 'POST', body: Buffer.from('{}'), headers: json })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
    expect(
      await read('/api/v1/keys', { method: 'POST', body: Buffer.from('{}'), headers: json, token: 'svc_pat_x' }),
    ).toMatchObject({ status: 401 });
  });

  it('cannot be imitated by the headers of a request from outside', async () => {
    for (const name of ['x-inner-origin', 'x-inner-caller', 'x-service-caller', 'via', 'forwarded'])
      expect((await app.fetch('/api/v1/me', { headers: { [name]: key } })).status).toBe(401);
    const seen: unknown[] = [];
    const server: Server = app.nest.getHttpServer();
    server.prependOnceListener('request', (request) => seen.push(innerOriginOf(request)));
    await app.fetch('/api/v1/me', as(key));
    expect(seen).toEqual([undefined]);
  });

  it('carry bodies of 3 MB in both directions', async () => {
    const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(3_000_000) }));
    const json = { 'content-type': 'application/json' };
    for (const sent of [body, Readable.from([body.subarray(0, 1_000_000), body.subarray(1_000_000)])])
      expect(await read('/api/v1/projects', { method: 'POST', body: sent, headers: json })).toMatchObject({
        status: 413,
        body: { error: { code: 'payload_too_large' } },
      });
    const { bytes, isCut } = await readUpTo(await open('/api/v1/openapi.json'), 10_000_000);
    expect(isCut).toBe(false);
    expect(JSON.parse(bytes.toString())).toHaveProperty('openapi');
    const short = await readUpTo(await open('/api/v1/openapi.json'), 1_000);
    expect(short).toMatchObject({ isCut: true, bytes: expect.objectContaining({ length: 1_000 }) });
  });

  it('end when their caller hangs up', async () => {
    const leaving = new AbortController();
    const server: Server = app.nest.getHttpServer();
    const closed: boolean[] = [];
    server.prependListener('request', (request, response) => {
      if (innerOriginOf(request) !== undefined) response.once('close', () => closed.push(response.writableFinished));
    });
    const response = await open(`/api/v1/orgs/${ada.organization.id}/events`, {
      signal: leaving.signal,
      headers: { accept: 'text/event-stream' },
    });
    expect(response.statusCode).toBe(200);
    const failed = once(response, 'error');
    leaving.abort();
    await failed;
    await eventually(() => closed.length > 0, 'the server sees the end');
    expect(closed).toEqual([false]);
    await expect(open('/api/v1/me', { signal: leaving.signal })).rejects.toThrow();
  });
});
