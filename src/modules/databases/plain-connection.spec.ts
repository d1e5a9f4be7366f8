import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { PlainConnection } from './plain-connection.js';

const request = (code: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(8);
  bytes.writeInt32BE(code, 4);
  return bytes;
};
const TLS = request(80_877_103);
const GSS = request(80_877_104);
const STARTUP = Buffer.concat([Buffer.from([0, 0, 0, 41, 0, 3, 0, 0]), Buffer.from('user\0ada\0'.padEnd(33, '\0'))]);

describe('PlainConnection', () => {
  let server: Server;
  let heard: Buffer;
  let peer: Promise<Socket>;

  beforeEach(async () => {
    heard = Buffer.alloc(0);
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('data', (chunk: Buffer) => (heard = Buffer.concat([heard, chunk])));
      socket.once('end', () => socket.end('bye'));
    });
    peer = new Promise((resolve) => server.once('connection', resolve));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.close();
  });

  /** Sends the pieces, and returns what came back until the end. */
  async function say(pieces: readonly Buffer[]): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const connection = new PlainConnection(connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    let text = '';
    connection.on('data', (chunk) => (text += String(chunk)));
    for (const piece of pieces) connection.write(piece);
    connection.end();
    await once(connection, 'end');
    return text;
  }

  it.each([
    ['none', [], ''],
    ['TLS', [TLS], 'N'],
    ['GSSAPI and then TLS', [GSS, TLS], 'NN'],
  ])('passes everything on after requests for encryption: %s', async (_what, requests, answers) => {
    expect(await say([...requests, STARTUP, Buffer.from('query')])).toBe(`${answers}bye`);
    expect(heard).toEqual(Buffer.concat([STARTUP, Buffer.from('query')]));
  });

  it('answers two requests, and passes on what is not one', async () => {
    expect(await say([TLS, TLS, TLS])).toBe('NNbye');
    expect(heard).toEqual(TLS);
  });

  it('does not depend on how the bytes are cut', async () => {
    const all = Buffer.concat([GSS, TLS, STARTUP]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 8 }), async (sizes) => {
        heard = Buffer.alloc(0);
        const pieces: Buffer[] = [];
        let at = 0;
        for (const size of sizes) pieces.push(all.subarray(at, (at += size)));
        pieces.push(all.subarray(at));
        expect(await say(pieces)).toBe('NNbye');
        expect(heard).toEqual(STARTUP);
      }),
      { numRuns: 30 },
    );
  });

  it('ends when the other side is reset', async () => {
    const { port } = server.address() as AddressInfo;
    const connection = new PlainConnection(connect(port, '127.0.0.1'));
    const failed = once(connection, 'close');
    (await peer).resetAndDestroy();
    await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(connection.destroyed).toBe(true);
  });
});
