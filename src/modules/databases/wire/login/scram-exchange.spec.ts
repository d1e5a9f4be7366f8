import { createHmac, pbkdf2Sync } from 'node:crypto';
import fc from 'fast-check';
import {
  parseVerifier,
  sha256,
  verifierOf,
  verifierOfUnknown,
  verifierText,
} from '../../credentials/scram-verifier.js';
import { WireRefusal } from '../protocol/wire-refusal.js';
import { MECHANISM, ScramExchange } from './scram-exchange.js';

const first = (text: string, mechanism = MECHANISM): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(text));
  return Buffer.concat([Buffer.from(`${mechanism}\0`), length, Buffer.from(text)]);
};

/** The last message of a client that knows this password. */
function answerOf(exchange: ScramExchange, password: string): Buffer {
  const { challenge } = exchange;
  const [nonce, salt, iterations] = challenge.split(',').map((part) => part.slice(2));
  const mac = (key: Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
  const salted = pbkdf2Sync(password, Buffer.from(salt!, 'base64'), Number(iterations), 32, 'sha256');
  const key = mac(salted, 'Client Key');
  const without = `c=biws,r=${nonce!}`;
  const signature = mac(sha256(key), `n=,r=abc,${challenge},${without}`);
  return Buffer.from(`${without},p=${Buffer.from(key.map((byte, i) => byte ^ signature[i]!)).toString('base64')}`);
}

describe('ScramExchange', () => {
  it('accepts the password and no other, and proves itself', async () => {
    const verifier = parseVerifier(verifierText(await verifierOf('secret')));
    const begin = (): ScramExchange => ScramExchange.begin(first('n,,n=,r=abc'), verifier);
    const right = begin();
    expect(right.finish(answerOf(right, 'secret'))).toMatch(/^v=[\w+/]{43}=$/);
    const wrong = begin();
    expect(wrong.finish(answerOf(wrong, 'Secret'))).toBeUndefined();
    // An answer fits only the challenge that it was made for.
    expect(() => begin().finish(answerOf(right, 'secret'))).toThrow(WireRefusal);
  });

  it('looks the same for an unknown name, which no password fits', async () => {
    const key = Buffer.alloc(32, 7);
    const unknown = ScramExchange.begin(first('n,,n=,r=abc'), verifierOfUnknown(key, 'owner_x'), 'same');
    const again = ScramExchange.begin(first('n,,n=,r=abc'), verifierOfUnknown(key, 'owner_x'), 'same');
    const known = ScramExchange.begin(first('n,,n=,r=abc'), await verifierOf('secret'), 'same');
    expect(unknown.challenge).toBe(again.challenge);
    expect(unknown.challenge.length).toBe(known.challenge.length);
    expect(unknown.finish(answerOf(unknown, 'secret'))).toBeUndefined();
  });

  it('refuses other mechanisms and malformed messages', async () => {
    const verifier = await verifierOf('secret');
    for (const body of [
      Buffer.alloc(0),
      first('n,,n=,r=abc', 'PLAIN'),
      first('p=tls-unique,,n=,r=abc'),
      first('n,a=admin,n=,r=abc'),
      first('n,,n=,r='),
      first('n,,r=abc'),
      Buffer.concat([first('n,,n=,r=abc'), Buffer.from('x')]),
    ])
      expect(() => ScramExchange.begin(body, verifier)).toThrow(WireRefusal);
  });

  it('answers or refuses any bytes, and never throws anything else', async () => {
    const verifier = await verifierOf('secret');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.string(), (bytes, text) => {
        for (const attempt of [
          () => ScramExchange.begin(Buffer.from(bytes), verifier),
          () => ScramExchange.begin(first(text), verifier),
          () => ScramExchange.begin(first('y,,n=,r=abc'), verifier).finish(Buffer.from(bytes)),
          () => ScramExchange.begin(first('n,,n=,r=abc'), verifier, 'x').finish(Buffer.from(`c=biws,r=abcx,p=${text}`)),
        ]) {
          try {
            attempt();
          } catch (error) {
            expect(error).toBeInstanceOf(WireRefusal);
          }
        }
      }),
    );
  });
});
