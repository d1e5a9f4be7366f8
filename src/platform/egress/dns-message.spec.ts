import fc from 'fast-check';
import { answerTo, queryIn, TYPES } from './dns-message.js';

function query(name: string, type: number = TYPES.A, flags = 0x0100): Buffer {
  const header = Buffer.from([0x12, 0x34, flags >> 8, flags & 0xff, 0, 1, 0, 0, 0, 0, 0, 0]);
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([header, ...labels, Buffer.from([0, type >> 8, type & 0xff, 0, 1])]);
}

describe('queryIn', () => {
  it('reads one question, in lower case', () => {
    expect(queryIn(query('WWW.Example.com', 28))).toMatchObject({
      id: 0x1234,
      name: 'www.example.com',
      type: 28,
      recursion: true,
    });
  });

  it('refuses answers, other operations, other classes, compressed names and dots inside of labels', () => {
    const otherClass = query('a.b');
    otherClass[otherClass.length - 1] = 3;
    const pointer = Buffer.concat([query('a').subarray(0, 12), Buffer.from([0xc0, 0x0c, 0, 1, 0, 1])]);
    const dotted = query('axb');
    dotted[14] = '.'.charCodeAt(0);
    const messages = [query('a', 1, 0x8000), query('a', 1, 0x2800), otherClass, pointer, dotted, Buffer.alloc(0)];
    expect(messages.map(queryIn)).toEqual(messages.map(() => null));
  });

  it('refuses every message that was cut', () => {
    const whole = query('www.example.com');
    for (let length = 0; length < whole.length; length++) expect(queryIn(whole.subarray(0, length))).toBeNull();
  });

  it('never throws, and what it reads is answered with the same question', () => {
    const start = fc.constantFrom(Buffer.alloc(0), query('a.b').subarray(0, 12), query('example.com'));
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 300 }), (head, tail) => {
        const found = queryIn(Buffer.concat([head, tail]));
        if (found === null) return;
        const answer = answerTo(found, 'absent');
        expect(answer.readUInt16BE(0)).toBe(found.id);
        expect(answer.subarray(12)).toEqual(found.question);
      }),
    );
  });
});

describe('answerTo', () => {
  const asked = queryIn(query('db.example.com'))!;

  it('writes addresses behind the question', () => {
    const answer = answerTo(asked, 'found', [{ type: 'A', address: '192.0.2.7', ttl: 60 }]);
    expect(answer.toString('hex')).toBe(
      `1234818000010001000000000264620765786d70`.slice(0, 24) +
        asked.question.toString('hex') +
        'c00c000100010000003c0004c0000207',
    );
  });

  it('writes the other types, and leaves out what does not fit a record', () => {
    const answer = answerTo(asked, 'found', [
      { type: 'MX', priority: 10, exchange: 'mx.example.com', ttl: 1 },
      { type: 'TXT', entries: ['a', 'bc'], ttl: -1 },
      { type: 'SRV', priority: 1, weight: 2, port: 27_017, name: 'db.example.com', ttl: 1 },
      { type: 'TXT', entries: ['x'.repeat(256)], ttl: 1 },
      { type: 'MX', priority: 1, exchange: `${'x'.repeat(64)}.com`, ttl: 1 },
    ]);
    expect(answer.readUInt16BE(6)).toBe(3);
    expect(answer.toString('latin1')).toContain('\x01a\x02bc');
    expect(answer.toString('latin1')).toContain('\x02mx\x07example\x03com\x00');
  });
});
