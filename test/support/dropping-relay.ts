import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A relay that can stop to pass anything on without a word, in both directions, as a network that is cut does: open
 * connections stay open, and new ones are accepted and never answered.
 */
export class DroppingRelay {
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<Socket>();
  private isDropping = false;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: () => Promise<number>,
  ) {}

  /** @param targetPort is asked for at each connection: the server behind may have moved. */
  static async start(targetPort: () => Promise<number>): Promise<DroppingRelay> {
    // Otherwise, what a caller sends before it hangs up is lost with the socket.
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: false });
    const relay = new DroppingRelay(server, targetPort);
    server.on('connection', (caller) => {
      relay.accept(caller);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  drop(): void {
    this.isDropping = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** What was sent meanwhile arrives now, as with retransmissions. */
  mend(): void {
    this.isDropping = false;
    for (const socket of this.sockets) socket.resume();
    for (const caller of [...this.waiting]) {
      this.waiting.delete(caller);
      void this.join(caller);
    }
  }

  async stop(): Promise<void> {
    for (const socket of [...this.sockets, ...this.waiting]) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(caller: Socket): void {
    caller.on('error', () => undefined);
    if (!this.isDropping) {
      void this.join(caller);
      return;
    }
    this.waiting.add(caller);
    caller.once('close', () => this.waiting.delete(caller));
  }

  private async join(caller: Socket): Promise<void> {
    const port = await this.targetPort().catch(() => undefined);
    if (port === undefined || caller.destroyed) {
      caller.destroy();
      return;
    }
    const target = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk: Buffer) => to.write(chunk));
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.isDropping) from.pause();
      else from.resume();
    }
  }
}
