import type { IncomingMessage } from 'node:http';
import { callerChain } from './caller-chain.js';

const chainOf = (
  peer: string,
  forwarded: string | undefined,
  trusts: (address: string, hop: number) => boolean,
): string[] =>
  callerChain(
    { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage,
    trusts,
  );
const hops =
  (count: number) =>
  (_address: string, hop: number): boolean =>
    hop < count;
const named =
  (...proxies: string[]) =>
  (address: string): boolean =>
    proxies.includes(address);

describe('callerChain', () => {
  it.each([
    ['a peer that nobody trusts', '::ffff:203.0.113.9', '6.6.6.6', hops(0), ['203.0.113.9']],
    ['a proxy that says nothing', '10.0.0.1', undefined, hops(1), ['10.0.0.1']],
    ['one proxy', '10.0.0.1', '6.6.6.6, 203.0.113.9', hops(1), ['203.0.113.9', '10.0.0.1']],
    ['two proxies', '10.0.0.1', '6.6.6.6,203.0.113.9 , 10.0.0.2', hops(2), ['203.0.113.9', '10.0.0.2', '10.0.0.1']],
    ['more proxies than addresses', '10.0.0.1', '203.0.113.9', hops(5), ['203.0.113.9', '10.0.0.1']],
    [
      'proxies by address',
      '10.0.0.1',
      '10.0.0.9, 203.0.113.9, 10.0.0.2',
      named('10.0.0.1', '10.0.0.2', '10.0.0.9'),
      ['203.0.113.9', '10.0.0.2', '10.0.0.1'],
    ],
    ['nothing but commas', '10.0.0.1', ',,', hops(1), ['', '10.0.0.1']],
  ])('%s', (_what, peer, forwarded, trusts, chain) => {
    expect(chainOf(peer, forwarded, trusts)).toEqual(chain);
  });

  it('looks at a limited number of addresses', () => {
    const chain = chainOf('10.0.0.1', '10.0.0.1,'.repeat(5_000), () => true);
    expect(chain.length).toBeLessThan(20);
  });
});
