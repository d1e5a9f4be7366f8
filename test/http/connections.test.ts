import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { guardListener } from '../../src/platform/http/guard-listener.js';
import { openLog } from '../../src/platform/logging/log.js';
import { eventually, useApp } from '../support/test-app.js';

/** Opens connections that ask for nothing, and tells how many of them are still open. */
async function openIdle(port: number, count: number): Promise<{ readonly sockets: Socket[]; open(): number }> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(
    sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)),
  );
  return { sockets, open: () => sockets.filter(({ destroyed }) => !destroyed).length };
}

describe('connections beyond MAX_CONNECTIONS', () => {
  const app = useApp({ MAX_CONNECTIONS: '100' });

  it('are closed, open ones keep working, and new ones are accepted once some end', async () => {
    const kept = connect(app.port, '127.0.0.1');
    await once(kept, 'connect');
    const idle = await openIdle(app.port, 150);
    await eventually(() => idle.open() <= 99, 'what is too much is closed');
    expect(idle.open()).toBeGreaterThan(90);
    let answer = '';
    kept.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    kept.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(kept, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of idle.sockets) socket.destroy();
    await eventually(async () => (await app.fetch('/health').catch(() => undefined))?.status === 200, 'there is room');
  });
});

describe('connections of one address', () => {
  let server: Server;
  const start = async (isShared: (address: string) => boolean): Promise<number> => {
    server = createServer((_request, response) => {
      response.end('hi');
    });
    guardListener(server, {
      connections: { max: 1_000, maxPerAddress: 10, isShared },
      render: ({ message }) => ({ contentType: 'text/plain', text: message }),
      headers: [],
      newRequestId: () => 'req_1',
      log: openLog({ logLevel: 'silent', role: 'api' }),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('are limited, and closed ones do not count', async () => {
    const port = await start(() => false);
    const first = await openIdle(port, 10);
    const more = await openIdle(port, 10);
    await eventually(() => more.open() === 0, 'those beyond the bound are closed');
    expect(first.open()).toBe(10);
    for (const socket of first.sockets) socket.destroy();
    await eventually(async () => {
      const again = await openIdle(port, 5);
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
      const open = again.open();
      for (const socket of again.sockets) socket.destroy();
      return open === 5;
    }, 'there is room again');
  });

  it('are not limited for addresses that are shared', async () => {
    const port = await start((address) => address === '127.0.0.1');
    const idle = await openIdle(port, 60);
    const accepted = (): Promise<number> =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => {
          if (error === null) resolve(count);
          else reject(error);
        });
      });
    await eventually(async () => (await accepted()) === 60, 'the server has accepted all of them');
    expect(idle.open()).toBe(60);
    for (const socket of idle.sockets) socket.destroy();
  });
});
