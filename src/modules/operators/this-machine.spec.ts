import type { Request } from 'express';
import { isFromThisMachine } from './this-machine.js';

const from = (remoteAddress: string | undefined, headers: Record<string, string>): boolean =>
  isFromThisMachine({ socket: { remoteAddress }, headers } as unknown as Pick<Request, 'headers' | 'socket'>);

describe('isFromThisMachine', () => {
  it.each([
    ['127.0.0.1', 'localhost:3000'],
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]:3000'],
    ['::ffff:127.0.0.1', 'LOCALHOST'],
    ['127.8.9.1', '127.8.9.1:65535'],
  ])('holds for %s with the host %s', (peer, host) => {
    expect(from(peer, { host })).toBe(true);
  });

  it.each([
    ['127.0.0.1', 'rebound.example.com'],
    ['127.0.0.1', 'localhost.example.com'],
    ['127.0.0.1', '127.0.0.1.example.com'],
    ['127.0.0.1', 'app.localhost'],
    ['127.0.0.1', 'localhost:3000@example.com'],
    ['127.0.0.1', ''],
    ['203.0.113.7', 'localhost'],
    ['::2', 'localhost'],
    ['::ffff:10.0.0.1', 'localhost'],
    [undefined, 'localhost'],
  ])('does not hold for %s with the host %s', (peer, host) => {
    expect(from(peer, { host })).toBe(false);
  });

  it('does not hold without a host, or when a proxy has passed the request on', () => {
    expect(from('127.0.0.1', {})).toBe(false);
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'])
      expect(from('127.0.0.1', { host: 'localhost', [name]: '' })).toBe(false);
  });
});
