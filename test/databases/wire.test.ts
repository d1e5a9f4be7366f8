import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Client } from 'pg';
import { AccessTickets } from '../../src/modules/databases/access/access-tickets.js';
import { DatabaseAccess } from '../../src/modules/databases/database-access.js';
import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { codedPacketOf, startupMessageOf } from '../../src/modules/databases/wire/protocol/startup-packet.js';
import { Clock } from '../../src/platform/time/clock.js';
import { eventually, useApp } from '../support/test-app.js';
import { type OpenedDatabase, Wire } from '../support/wire.js';
import { connectionCases } from './wire-cases.js';

const app = useApp({}, 'all');
const wire = new Wire(app);
let shop: OpenedDatabase;

beforeAll(async () => {
  await wire.begin();
  shop = await wire.database();
});

/** Sends bytes without TLS, and returns all that comes back until the connection ends. */
const raw = (bytes: Buffer): Promise<string> => app.raw(bytes, { port: app.databasesPort });

describe('a connection with a right password', () => {
  connectionCases({ app, wire, opened: () => shop });
});

describe('a connection that is refused', () => {
  it('looks the same for a wrong password, an unknown user and another database, and wakes nothing', async () => {
    const asleep = await wire.database();
    const woken = jest.spyOn(app.get(DatabaseEngine), 'connect');
    const change: Record<string, (url: URL) => void> = {
      'a wrong password': (url) => (url.password = 'wrong'),
      'an unknown user': (url) => (url.username = 'owner_000000000000'),
      'an unknown database': (url) => (url.pathname = '/none'),
      "another tenant's database": (url) => (url.pathname = new URL(shop.url).pathname),
      'the role itself': (url) => (url.username = 'platform'),
    };
    for (const [what, how] of Object.entries(change))
      expect([what, await wire.refusal(asleep.url, how)]).toEqual([what, '28P01']);
    expect(
      await wire.refusal(asleep.url, (url) => {
        url.searchParams.set('sslmode', 'disable');
      }),
    ).toBe('28000');
    expect(woken).not.toHaveBeenCalled();
    woken.mockRestore();
    expect(await wire.refusal(asleep.url)).toBe('none');
  });

  it('is refused for a while after ten failures, with the right password too, and other users are not', async () => {
    const { url } = await wire.credential(shop.database.id);
    for (let attempt = 0; attempt < 11; attempt++)
      expect(await wire.refusal(url, (it) => (it.password = 'wrong'))).toBe('28P01');
    expect(await wire.refusal(url)).toBe('28000');
    expect(await wire.refusal(shop.url)).toBe('none');
  });

  it('says why a database is not ready, to those who may know', async () => {
    const { database, url } = await wire.database();
    await wire.deleted(database.id);
    expect(await wire.refusal(url)).toMatch(/^(28P01|57P03)$/);
  });

  it.each<[string, Buffer, RegExp]>([
    ['a length that is too large', Buffer.from([0x7f, 0xff, 0xff, 0xff]), /^E.*08P01/s],
    ['a length that is too small', Buffer.from([0, 0, 0, 3]), /^E.*08P01/s],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /^E.*08P01/s],
    ['another version', Buffer.concat([Buffer.from([0, 0, 0, 8]), Buffer.from([0, 2, 0, 0])]), /^E.*0A000/s],
    ['bytes after the request for TLS', Buffer.concat([codedPacketOf('tls'), Buffer.from('x')]), /^E.*08P01/s],
    ['a startup message without TLS', startupMessageOf([['user', 'a']]), /^E.*28000.*sslmode=require/s],
    ['a ticket without TLS', codedPacketOf('ticket', Buffer.from('x')), /^E.*28000/s],
  ])('answers %s in the shape of PostgreSQL', async (_, bytes, answer) => {
    expect(await raw(bytes)).toMatch(answer);
  });

  it('ends what sends its bytes slowly or not at all, beyond 200 of them', async () => {
    const slow = Array.from({ length: 230 }, () => connect(app.databasesPort, '127.0.0.1'));
    let ended = 0;
    for (const socket of slow) {
      socket.on('error', () => undefined);
      socket.on('close', () => ended++);
      socket.write(Buffer.from([0, 0]));
    }
    await eventually(() => ended >= 30, 'the oldest ones have ended');
    expect(await wire.refusal(shop.url)).toBe('none');
    for (const socket of slow) socket.destroy();
  });
});

describe('the limit of connections', () => {
  it('lets callers wait for a place', async () => {
    const free = new Wire(app);
    await free.begin('free');
    const { url } = await free.database();
    const clients: Client[] = [];
    for (let index = 0; index < 20; index++) clients.push(await free.client(url));
    let late: Client | undefined;
    const waiting = free.client(url).then((client) => (late = client));
    await expect(clients[0]!.query('SELECT 1 AS one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
    expect(late).toBeUndefined();
    await clients.shift()!.end();
    await waiting;
    await Promise.all([...clients, late!].map((client) => client.end()));
  });
});

describe('a ticket', () => {
  const opened = async (role: 'owner' | 'reader' | 'platform'): Promise<Client> => {
    const stream = await app.get(DatabaseAccess).open({ databaseId: shop.database.id, role });
    Object.assign(stream, {
      connect: () => {
        queueMicrotask(() => stream.emit('connect'));
      },
    });
    const { Client: PgClient } = await import('pg');
    const client = new PgClient({ user: 'postgres', database: 'other', host: '/', stream: () => stream });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  it.each(['owner', 'reader', 'platform'] as const)(
    'opens a database as %s, whatever its caller names',
    async (role) => {
      const client = await opened(role);
      const { rows } = await client.query('SELECT current_user AS role, current_database() AS name');
      expect(rows).toEqual([{ role, name: role === 'platform' ? 'postgres' : 'app' }]);
      await client.end();
    },
  );

  it('is refused when it was changed, is for another host, or has expired', async () => {
    const tickets = app.get(AccessTickets);
    const [host] = await wire.make.sql('SELECT host_id FROM databases WHERE id = $1', [shop.database.id]);
    const hostId = host!['host_id'] as string;
    const ticket = { databaseId: shop.database.id as string, role: 'reader' as const };
    const good = tickets.issue(ticket, hostId);
    expect(tickets.check(good, hostId)).toEqual(ticket);
    expect(tickets.check(good.replace('reader', 'platform'), hostId)).toBeUndefined();
    expect(tickets.check(good, 'dbh_other')).toBeUndefined();
    expect(tickets.check('', hostId)).toBeUndefined();
    const clock = jest.spyOn(app.get(Clock), 'now').mockReturnValue(new Date(Date.now() + 61_000));
    expect(tickets.check(good, hostId)).toBeUndefined();
    clock.mockRestore();
  });
});

describe('psql', () => {
  const isThere = spawnSync('psql', ['--version']).status === 0;
  const maybe = isThere ? it : it.skip;

  maybe('connects by the URL that a credential has (skipped without psql)', async () => {
    const url = wire.addressOf(shop.url);
    const args = [url.href, '-X', '-A', '-t', '-c', 'SELECT current_user', '-c', 'COPY (SELECT 1) TO STDOUT'];
    const child = spawn('psql', args, { env: { PATH: process.env['PATH'] } });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child, 'close');
    expect(output).toBe('owner\n1\n');
  });
});

it('writes no user and no password to the log', () => {
  const log = JSON.stringify(app.log());
  const { username, password } = new URL(shop.url);
  expect(log).not.toContain(username);
  expect(log).not.toContain(password);
});
