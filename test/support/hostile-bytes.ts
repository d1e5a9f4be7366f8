/** A sequence of numbers that is the same for the same seed (mulberry32). */
export class Dice {
  constructor(private state: number) {}

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

const STATUS_LINES = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.1 500 Oh',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 205 Reset',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 302 Found',
  'HTTP/1.1 000 X',
  'HTTP/1.1 099 X',
  'HTTP/1.1 600 X',
  'HTTP/1.1 999 X',
  'HTTP/1.1 1000 X',
  'HTTP/1.1 20 X',
  'HTTP/1.1 -1 X',
  'HTTP/1.1 200',
  'HTTP/1.1 200 ',
  'HTTP/1.1 200 O\x01K',
  'HTTP/1.1 200 \x7f',
  'HTTP/1.1 200 \xff\xfe',
  'HTTP/1.1 200 a\0b',
  'HTTP/0.9 200 OK',
  'HTTP/2.0 200 OK',
  'HTTP/1.1 101 Switching Protocols',
  'HTTP/1.1 100 Continue',
  'HTTP/1.1 103 Early Hints',
  'ICY 200 OK',
  'http/1.1 200 OK',
] as const;

const HEADERS = [
  'content-length: 0',
  'content-length: 5',
  'content-length: 500',
  'content-length: -1',
  'content-length: 5, 5',
  'content-length: 99999999999999999999',
  'content-length: 0x5',
  'content-length:',
  'transfer-encoding: chunked',
  'transfer-encoding: Chunked',
  'transfer-encoding: gzip',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: identity',
  'transfer-encoding : chunked',
  'connection: close',
  'connection: keep-alive',
  'connection: upgrade',
  'connection: content-length',
  'connection: transfer-encoding, x',
  'upgrade: websocket',
  'upgrade: h2c',
  'keep-alive: timeout=0',
  'keep-alive: timeout=5',
  'trailer: x-end',
  'set-cookie: a=b; domain=localhost',
  'location: \x01',
  'x-a: b\0c',
  'x-a: b\rc',
  ' folded: a',
  ': none',
  'no colon',
  'x a: b',
  '\xe4: b',
  'x-a: \xe4\xff',
  'date: never',
  'te: trailers',
  'proxy-authenticate: x',
  'expect: 100-continue',
  'content-encoding: gzip',
  `x-long: ${'l'.repeat(3_000)}`,
] as const;

/** An answer that HTTP has no objection to. The connection can be used again after it. */
export function soundAnswer(dice: Dice, body: string): Buffer {
  const head = `HTTP/1.1 ${dice.pick(['200 OK', '201 Created', '404 Not Found', '503 Busy'])}\r\nx-a: b\r\n`;
  if (dice.happens(0.5)) return Buffer.from(`${head}content-length: ${body.length}\r\n\r\n${body}`);
  const cut = dice.below(body.length);
  const chunks = [body.slice(0, cut), body.slice(cut)]
    .filter(Boolean)
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return Buffer.from(
    `${head}transfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n${dice.happens(0.2) ? 'x-end: 1\r\n' : ''}\r\n`,
  );
}

/** An answer of parts that are each likely to matter to a parser. */
export function craftedAnswer(dice: Dice, body: string): Buffer {
  const eol = dice.happens(0.95) ? '\r\n' : dice.pick(['\n', '\r', '\r\n ']);
  const informational = dice.happens(0.1)
    ? `HTTP/1.1 ${dice.pick(['100 Continue', '102 Processing', '103 Early Hints'])}\r\nlink: x\r\n\r\n`.repeat(
        1 + dice.below(30),
      )
    : '';
  const headers = Array.from({ length: dice.below(5) }, () => dice.pick(HEADERS));
  if (dice.happens(0.02)) for (let index = 0; index < 1_000; index++) headers.push('x-flood: y' as never);
  const framed = dice.pick([
    body,
    '',
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    `ffffffffffffffffff\r\n${body}`,
    `5;${'e'.repeat(20)}\r\nhello\r\n`,
    `-1\r\n${body}`,
  ]);
  return Buffer.from(informational + [dice.pick(STATUS_LINES), ...headers, '', framed].join(eol), 'latin1');
}

/** The same bytes, but for some that were changed, left out, put in or repeated. */
export function mutated(dice: Dice, bytes: Buffer): Buffer {
  let result = bytes;
  for (let times = 1 + dice.below(4); times > 0; times--) {
    const at = dice.below(result.length + 1);
    const end = Math.min(result.length, at + 1 + dice.below(12));
    switch (dice.below(6)) {
      case 0:
        result = result.subarray(0, at);
        break;
      case 1:
        result = Buffer.concat([result.subarray(0, at), result.subarray(end)]);
        break;
      case 2:
        result = Buffer.concat([result.subarray(0, at), dice.bytes(1 + dice.below(8)), result.subarray(at)]);
        break;
      case 3:
        result = Buffer.concat([result.subarray(0, end), result.subarray(at, end), result.subarray(end)]);
        break;
      case 4:
        result = Buffer.concat([
          result.subarray(0, at),
          Buffer.from(
            dice.pick(['\r\n', '\n', '\r', '\0', ' ', ':', '\r\n\r\n', '0\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n']),
          ),
          result.subarray(at),
        ]);
        break;
      default:
        result = Buffer.from(result);
        if (at < result.length) result[at] = dice.below(256);
    }
  }
  return result;
}

/**
 * Frames of WebSocket: whole, cut, with lengths that lie, reserved bits, codes that do not exist, masked by a server.
 */
export function frames(dice: Dice): Buffer {
  return Buffer.concat(
    Array.from({ length: 1 + dice.below(6) }, () => {
      const payload = dice.bytes(dice.below(300));
      const length = dice.happens(0.7) ? payload.length : dice.pick([0, 125, 65_535, 2 ** 31, 2 ** 40]);
      const head = [dice.below(256)];
      const mask = dice.happens(0.2) ? 0x80 : 0;
      if (length < 126) return Buffer.concat([Buffer.from([...head, mask | length]), payload]);
      if (length < 65_536)
        return Buffer.concat([Buffer.from([...head, mask | 126, length >> 8, length & 255]), payload]);
      const long = Buffer.alloc(8);
      long.writeBigUInt64BE(BigInt(length));
      return Buffer.concat([Buffer.from([...head, mask | 127]), long, payload]);
    }),
  );
}
