import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { questionServer } from './cluster-questions.js';
import { ClusterSocket } from './cluster-socket.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const WELCOME = 'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I';

describe('questionServer', () => {
  const directory = mkdtempSync(join(tmpdir(), 'questions-'));
  const place = join(directory, 'socket');
  let server: Server;

  afterEach(() => server.close());
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  async function answering(...answers: Buffer[]): Promise<ClusterSocket> {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write(answers.shift() ?? Buffer.alloc(0)));
    }).listen(place);
    await new Promise((resolve) => server.once('listening', resolve));
    return ClusterSocket.open(place);
  }

  it.each([
    ['a packet that is too short', [bytes('R\0\0\0\x04')]],
    ['rows that nobody asked for', [bytes('T\0\0\0\x06\xff\xff')]],
    ['more columns than bytes', [bytes(WELCOME), bytes('T\0\0\0\x07\xff\xff\0')]],
    ['a packet of gigabytes', [bytes('E\x7f\xff\xff\xff'), Buffer.alloc(100_000), Buffer.alloc(100_000)]],
    ['too many bytes', [Buffer.alloc(1_000_000, 'R')]],
    ['zeros', [Buffer.alloc(1_000_000)]],
    ['an end', [bytes(WELCOME), bytes('E\0\0\0\x05\0')]],
  ])('fails when the server answers with %s', async (_title, answers) => {
    const socket = await answering(...answers);
    await expect(questionServer(socket, (client) => client.query('SELECT 1'), { withinMs: 300 })).rejects.toThrow();
    socket.close();
  });

  it('waits for work that takes longer than a connection may, when the caller allows it', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const socket = await answering(bytes(WELCOME));
    try {
      const { promise: connected, resolve: begun } = Promise.withResolvers<undefined>();
      const work = (): Promise<string> => {
        begun(undefined);
        return new Promise((resolve) => setTimeout(resolve, 600_000, 'done'));
      };
      const working = questionServer(socket, work, { withinMs: 3_600_000 });
      await connected;
      await jest.advanceTimersByTimeAsync(600_000);
      await expect(working).resolves.toBe('done');
    } finally {
      jest.useRealTimers();
      socket.close();
    }
  });
});
