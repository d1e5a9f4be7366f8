import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Listening } from './attacks/network.js';
import { AS_ROOT } from './modes.js';

const SECRET = 'CANARY: what no sandbox may read or change';

/** What stands about on the host for attacks to touch: files that anyone may write, sockets, and processes. */
export class Canaries {
  readonly listening: Listening;
  /** How often something has connected. */
  connections = 0;

  private constructor(
    private readonly directory: string,
    private readonly servers: readonly Server[],
    private readonly processes: readonly ChildProcess[],
    port: number,
    abstractName: string,
  ) {
    this.listening = { port, abstractName, socketPath: join(directory, 'socket') };
    for (const server of servers)
      server.on('connection', (socket) => {
        this.connections += 1;
        socket.destroy();
      });
  }

  static async release(): Promise<Canaries> {
    const directory = mkdtempSync(join(tmpdir(), 'canaries-'));
    chmodSync(directory, 0o777);
    writeFileSync(join(directory, 'file'), SECRET);
    chmodSync(join(directory, 'file'), 0o666);

    const abstractName = `canary-of-the-abuse-suite-${randomUUID()}`;
    const loopback = await listen({ host: '127.0.0.1', port: 0 });
    const servers = [
      loopback,
      await listen({ path: `\0${abstractName}` }),
      await listen({ path: join(directory, 'socket') }),
    ];
    // One of the sandboxes' own host users would be hit by a kill(-1) that got out.
    const users = AS_ROOT ? [{}, { uid: 61_000, gid: 61_000 }, { uid: 65_520, gid: 65_520 }] : [{}];
    const processes = users.map((user) => spawn('/bin/sleep', ['900'], { ...user, stdio: 'ignore' }));
    return new Canaries(directory, servers, processes, (loopback.address() as { port: number }).port, abstractName);
  }

  /** Fails unless everything is as it was. */
  check(): void {
    expect(this.connections).toBe(0);
    expect(readFileSync(join(this.directory, 'file'), 'utf8')).toBe(SECRET);
    expect(readdirSync(this.directory).sort()).toEqual(['file', 'socket']);
    expect(this.processes.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual(
      this.processes.map(() => null),
    );
  }

  /** Proves that they would have noticed. */
  async checkThatTheyListen(): Promise<void> {
    const { port, abstractName, socketPath } = this.listening;
    for (const at of [{ host: '127.0.0.1', port }, { path: `\0${abstractName}` }, { path: socketPath }]) {
      await new Promise<void>((resolve) => {
        connect(at)
          .resume()
          .on('error', () => {
            resolve();
          })
          .once('close', () => {
            resolve();
          });
      });
    }
    expect(this.connections).toBe(3);
  }

  removeAll(): void {
    for (const server of this.servers) server.close();
    for (const process of this.processes) process.kill('SIGKILL');
    rmSync(this.directory, { recursive: true });
  }
}

function listen(at: object): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(at, () => {
      resolve(server);
    });
  });
}
