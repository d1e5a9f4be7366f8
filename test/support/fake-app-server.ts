import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import { AppServer } from '../../src/modules/hosting/servers/app-server.js';
import type { IsolatedProgram } from '../../src/platform/isolation/isolated-program.js';
import { built, deploy, type Deployed } from './hosting.js';
import type { TestApp } from './test-app.js';

/** A received request, and functions that send bytes back. */
export interface PlayedAnswer {
  /** The unparsed head of the request. */
  readonly request: string;
  /** The part of the request body that arrived with the head. */
  readonly body: string;
  send(bytes: string | Buffer): void;
  end(): void;
  /** Echoes all further bytes. */
  echo(): void;
}

export type Play = (answer: PlayedAnswer) => void;

/** A fake app server that answers each request with any bytes that a test chooses. */
export class FakeAppServer {
  readonly requests: string[] = [];
  readonly connections = new Set<Socket>();
  /** The socket where the proxy expects the server; it is known once there is a deploy. */
  appServer!: AppServer;
  play: Play = (answer) => {
    answer.end();
  };
  private readonly directory = mkdtempSync(join(tmpdir(), 'fake-app-'));
  private readonly server: Server = createServer((socket) => {
    this.serve(socket);
  });

  get socketPath(): string {
    return join(this.directory, 'app.sock');
  }

  async listen(): Promise<void> {
    this.server.listen(this.socketPath);
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private serve(socket: Socket): void {
    this.connections.add(socket);
    socket.on('close', () => {
      this.connections.delete(socket);
    });
    socket.on('error', () => undefined);
    let text = '';
    let echoes = false;
    let bytesOfBodyLeft = 0;
    socket.on('data', (chunk: Buffer) => {
      if (echoes) {
        socket.write(chunk);
        return;
      }
      const skipped = Math.min(bytesOfBodyLeft, chunk.length);
      bytesOfBodyLeft -= skipped;
      text += chunk.toString('latin1', skipped);
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const request = text.slice(0, end);
        // The announced body may never arrive, so a request is answered after its head.
        const length = Number(/^content-length: (\d+)$/im.exec(request)?.[1] ?? 0);
        const body = text.slice(end + 4, end + 4 + length);
        bytesOfBodyLeft = length - body.length;
        text = text.slice(end + 4 + length);
        this.requests.push(request);
        this.play({
          request,
          body,
          send: (bytes) => {
            if (socket.writable) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
          },
          end: () => {
            socket.end();
          },
          echo: () => {
            echoes = true;
          },
        });
      }
    });
  }
}

const program = {
  isAlive: true,
  thaw: () => undefined,
  freeze: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
};

/** Creates a deploy that is served by the fake. Everything before its socket is real. */
export async function deployBehind(app: TestApp, fake: FakeAppServer): Promise<Deployed> {
  const deployed = await deploy(
    app,
    built(
      { 'server.js': '' },
      { kind: 'server', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
    ),
  );
  const server = new AppServer(deployed.deployId, {
    socketPath: fake.socketPath,
    program: program as unknown as IsolatedProgram,
    listening: Promise.resolve(),
    keepFiles: () => Promise.resolve(),
  });
  fake.appServer = server;
  const servers = app.get(AppServersService);
  const reach = servers.reach.bind(servers);
  jest
    .spyOn(servers, 'reach')
    .mockImplementation((deployId) => (deployId === deployed.deployId ? Promise.resolve(server) : reach(deployId)));
  return deployed;
}
