import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { CallerHungUp } from '../errors/caller-hung-up.js';
import { hangUpOf } from './hang-up.js';

describe('hangUpOf', () => {
  const server = createServer();
  let caller: Socket;
  let response: ServerResponse;

  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
    caller.on('error', () => undefined);
    caller.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  });

  afterEach(async () => {
    caller.destroy();
    server.close();
    await once(server, 'close');
  });

  it('aborts when the caller disconnects', async () => {
    const signal = hangUpOf(response);
    expect(signal.aborted).toBe(false);
    const aborted = once(signal, 'abort');
    caller.destroy();
    await aborted;
    expect(signal.reason).toBeInstanceOf(CallerHungUp);
  });

  it('is aborted from the start when the caller has already disconnected', async () => {
    const closed = once(response, 'close');
    caller.destroy();
    await closed;
    expect(hangUpOf(response).aborted).toBe(true);
  });

  it('does not abort after a complete response', async () => {
    const [before, closed] = [hangUpOf(response), once(response, 'close')];
    response.end('done');
    await closed;
    expect([before.aborted, hangUpOf(response).aborted]).toEqual([false, false]);
  });
});
