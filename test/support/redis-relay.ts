import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { addressOf } from '../../src/platform/redis/redis-address.js';
import { testRedisUrl } from './test-redis.js';

/** A proxy between a service and its Redis that can disconnect them, as a broken network does. */
export class RedisRelay {
  private readonly sockets = new Set<Socket>();
  private readonly servers = new Set<Socket>();
  private isCut = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RedisRelay> {
    const server = createServer();
    const relay = new RedisRelay(server);
    server.on('connection', (caller) => {
      relay.join(caller);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    const { db = 0 } = addressOf(testRedisUrl());
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}/${db}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  /** Keeps connections open without responses until {@link speak}. */
  silence(): void {
    for (const socket of this.servers) socket.pause();
  }

  speak(): void {
    for (const socket of this.servers) socket.resume();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(caller: Socket): void {
    if (this.isCut) {
      caller.destroy();
      return;
    }
    const { path, host, port } = addressOf(testRedisUrl());
    const redis = path === undefined ? connect(port!, host) : connect(path);
    for (const socket of [caller, redis]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
      });
    }
    this.servers.add(redis);
    redis.on('close', () => {
      this.servers.delete(redis);
    });
    caller.pipe(redis).pipe(caller);
  }
}
