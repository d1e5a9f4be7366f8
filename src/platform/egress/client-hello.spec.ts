import { connect as connectTls } from 'node:tls';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { ClientHelloReader, type HelloVerdict } from './client-hello.js';

/** Returns the bytes that Node's own TLS client really sends. */
function helloOf(servername: string | undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer) => {
        resolve(Buffer.from(chunk));
      },
    });
    connectTls({ socket: wire, ...(servername === undefined ? {} : { servername }) }).on('error', () => undefined);
  });
}

const u8 = (value: number): Buffer => Buffer.from([value]);
const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const vector8 = (...parts: Buffer[]): Buffer => Buffer.concat([u8(Buffer.concat(parts).length), ...parts]);
const vector16 = (...parts: Buffer[]): Buffer => Buffer.concat([u16(Buffer.concat(parts).length), ...parts]);
const extension = (type: number, ...content: Buffer[]): Buffer => Buffer.concat([u16(type), vector16(...content)]);
const nameEntry = (name: string, type = 0): Buffer => Buffer.concat([u8(type), vector16(Buffer.from(name, 'latin1'))]);
const serverName = (...entries: Buffer[]): Buffer => extension(0, vector16(...entries));

function message(extensions: Buffer, tail: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([
    u16(0x0303),
    Buffer.alloc(32),
    vector8(),
    vector16(u16(0x1301)),
    vector8(u8(0)),
    vector16(extensions),
    tail,
  ]);
  return Buffer.concat([u8(1), u8(body.length >> 16), u16(body.length & 0xffff), body]);
}

function records(bytes: Buffer, size = 16_384, type = 22): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.concat([u8(type), u16(0x0301), u16(part.length), part]));
  }
  return Buffer.concat(parts);
}

const read = (bytes: Buffer, cut = bytes.length): HelloVerdict => {
  const reader = new ClientHelloReader();
  let verdict: HelloVerdict = { state: 'incomplete' };
  for (let at = 0; at < bytes.length; at += cut) verdict = reader.push(bytes.subarray(at, at + cut));
  return verdict;
};
const refused = (problem: string): unknown => ({ state: 'refused', problem });
const named = (name: string): unknown => ({ state: 'named', serverName: name });

describe('ClientHelloReader', () => {
  it('reads the server name that a real client sends, in chunks of any size', async () => {
    const hello = await helloOf('Registry.npmjs.org');
    for (const cut of [1, 2, 3, 7, 100, hello.length]) expect(read(hello, cut)).toEqual(named('registry.npmjs.org'));
    expect(read(hello.subarray(0, -1))).toEqual({ state: 'incomplete' });
    expect(read(await helloOf(undefined))).toEqual(refused('no_server_name'));
  });

  it('reads a ClientHello that is fragmented over records', () => {
    const hello = message(serverName(nameEntry('a.example.org')));
    for (const size of [2, 3, 4, 5, 40]) expect(read(records(hello, size), 3)).toEqual(named('a.example.org'));
  });

  it.each<[string, Buffer, string]>([
    ['plain http', Buffer.from('GET / HTTP/1.1\r\n'), 'not_tls'],
    ['ssh', Buffer.from('SSH-2.0-x\r\n'), 'not_tls'],
    ['SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1]), 'not_tls'],
    ['application data first', records(Buffer.from('secret'), 100, 23), 'not_tls'],
    [
      'another record between fragments',
      Buffer.concat([records(message(serverName(nameEntry('a.b'))).subarray(0, 9)), records(u8(1), 1, 20)]),
      'malformed',
    ],
    ['a ServerHello', records(Buffer.concat([u8(2), Buffer.alloc(10)])), 'malformed'],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0]), 'malformed'],
    ['a record that is too long', Buffer.from([22, 3, 1, 0xff, 0xff]), 'malformed'],
    ['no extensions', records(message(Buffer.alloc(0))), 'no_server_name'],
    ['only other extensions', records(message(extension(16, vector16(vector8(Buffer.from('h2')))))), 'no_server_name'],
    [
      'Encrypted Client Hello',
      records(message(Buffer.concat([serverName(nameEntry('a.b')), extension(0xfe0d, Buffer.alloc(9))]))),
      'encrypted_name',
    ],
    [
      'encrypted SNI of the drafts',
      records(message(Buffer.concat([serverName(nameEntry('a.b')), extension(0xffce)]))),
      'encrypted_name',
    ],
    ['two names in a list', records(message(serverName(nameEntry('a.b'), nameEntry('c.d')))), 'malformed'],
    [
      'two lists of names',
      records(message(Buffer.concat([serverName(nameEntry('a.b')), serverName(nameEntry('c.d'))]))),
      'malformed',
    ],
    ['a name of another type', records(message(serverName(nameEntry('a.b', 1)))), 'malformed'],
    ['an empty name', records(message(serverName(nameEntry('')))), 'malformed'],
    ['a name with a zero byte', records(message(serverName(nameEntry('a.b\0.c')))), 'malformed'],
    ['a name with a trailing dot', records(message(serverName(nameEntry('a.b.')))), 'malformed'],
    ['bytes behind the extensions', records(message(serverName(nameEntry('a.b')), u8(0))), 'malformed'],
    [
      'a second message in the record',
      records(Buffer.concat([message(serverName(nameEntry('a.b'))), u8(1)])),
      'malformed',
    ],
    [
      'more than 16 KiB',
      records(message(Buffer.concat([extension(21, Buffer.alloc(17_000)), serverName(nameEntry('a.b'))]))),
      'too_long',
    ],
    ['a record for each byte', records(message(serverName(nameEntry('a-longer-name.example.org'))), 1), 'too_long'],
  ])('refuses %s', (_what, bytes, problem) => {
    expect(read(bytes)).toEqual(refused(problem));
    expect(read(bytes, 1)).toEqual(refused(problem));
  });

  it('never throws, and gives the same verdict however the bytes are split', async () => {
    const real = await helloOf('registry.npmjs.org');
    const changed = fc
      .tuple(fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { maxLength: 6 }), fc.nat(real.length))
      .map(([changes, end]) => {
        const bytes = Buffer.from(real.subarray(0, end));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        return bytes;
      });
    const framed = fc
      .uint8Array({ maxLength: 400 })
      .map((bytes) => records(Buffer.concat([u8(1), u8(0), u16(bytes.length), Buffer.from(bytes)])));
    const bytes = fc.oneof(
      changed,
      framed,
      fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each)),
    );
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 50 }), (input, cut) => {
        const whole = read(input);
        expect(read(input, cut)).toEqual(whole);
        if (whole.state === 'named') expect(whole.serverName).toMatch(/^[a-z0-9._-]+$/);
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes time in proportion to the bytes, byte by byte as well', () => {
    // Processor time is compared, because other programs take the processor meanwhile.
    const timeOf = (bytes: Buffer): number => {
      const times = Array.from({ length: 7 }, () => {
        const start = process.cpuUsage();
        for (let round = 0; round < 10; round++) read(bytes, 1);
        const { user, system } = process.cpuUsage(start);
        return user + system;
      });
      return Math.min(...times);
    };
    const hello = (padding: number): Buffer =>
      records(message(Buffer.concat([extension(21, Buffer.alloc(padding)), serverName(nameEntry('a.b'))])));
    timeOf(hello(1_000));
    // Sixteen times the bytes; a reader that started over with each byte would take 256 times as long.
    expect(timeOf(hello(16_000)) / timeOf(hello(1_000))).toBeLessThan(80);
  });
});
