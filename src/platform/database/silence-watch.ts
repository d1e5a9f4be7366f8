import { connect } from 'node:net';
import { setImmediate as afterReading } from 'node:timers/promises';
import type { PooledClient, ServerAddress } from './pooled-client.js';

const LOOK_EVERY_MS = 1_000;
/** A statement may take long. From here on, the server is asked whether it is there. */
const SILENT_AFTER_MS = 2_000;
const ANSWER_WITHIN_MS = 2_000;
const QUESTIONS = 2;
/** Each question starts a process of PostgreSQL. It is asked again for the same statements only after this time. */
const ASK_AGAIN_AFTER_MS = 10_000;
/** A server that is there ends a statement at its limit, and says so soon after. */
const BEYOND_LIMIT_MS = 5_000;
/** Every PostgreSQL and every pooler answers it with one byte, before it asks who connects. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The network or this system found nobody there. All other errors are an answer, or a fault of this process. */
const UNREACHABLE = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH']);

/**
 * Ends connections whose server is gone without a word: the network drops its packets, or its machine does not run any
 * more. The statements that wait on them would be given up by the system after a quarter of an hour. Those of a server
 * that answers go on, however long they take, as it limits them itself. A refusal is an answer: a machine that refuses
 * new connections also resets those that it does not know.
 *
 * The address that a connection has is asked, and not the name of the host, which after a fail-over leads to another
 * server. Where both servers have one virtual address, the other one answers. So a connection ends as well when it is
 * silent well beyond the time after which its server ends a statement.
 */
export class SilenceWatch {
  private readonly clients = new Map<PooledClient, ServerAddress>();
  /** When each server has answered, for {@link ASK_AGAIN_AFTER_MS}. */
  private readonly answeredAtMs = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  add(client: PooledClient): void {
    this.clients.set(client, client.server);
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    client.once('end', () => {
      this.clients.delete(client);
      if (this.clients.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    });
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      // What arrived while this process was busy is read first.
      await afterReading();
      for (const client of this.clients.keys())
        if (client.silentMs > client.limitMs + BEYOND_LIMIT_MS) client.abandon();
      this.forgetAnswers();
      const servers = new Map(this.silent.map(([, server]) => [nameOf(server), server]));
      await Promise.all([...servers.values()].map((server) => this.lookAt(server)));
    } finally {
      this.isLooking = false;
    }
  }

  private async lookAt(server: ServerAddress): Promise<void> {
    const name = nameOf(server);
    const sinceAnswerMs = performance.now() - (this.answeredAtMs.get(name) ?? -Infinity);
    if (this.silentAt(name).every(({ silentMs }) => silentMs > sinceAnswerMs)) return;
    for (let question = 0; question < QUESTIONS; question++) {
      if (!(await isThere(server))) continue;
      this.answeredAtMs.set(name, performance.now());
      return;
    }
    for (const client of this.silentAt(name)) client.abandon();
  }

  private get silent(): (readonly [PooledClient, ServerAddress])[] {
    return [...this.clients].filter(([client]) => client.silentMs > SILENT_AFTER_MS);
  }

  private silentAt(name: string): PooledClient[] {
    return this.silent.filter(([, server]) => nameOf(server) === name).map(([client]) => client);
  }

  private forgetAnswers(): void {
    for (const [name, atMs] of this.answeredAtMs)
      if (performance.now() - atMs > ASK_AGAIN_AFTER_MS) this.answeredAtMs.delete(name);
  }
}

const nameOf = ({ host, port }: ServerAddress): string => `${host} ${port}`;

/** True when the server answers a new connection in time, if only with a refusal. */
function isThere({ host, port }: ServerAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let isUnreachable = false;
    const end = (answered: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(answered);
    };
    const late = setTimeout(() => {
      // After a pause of this process, the answer may have arrived and not been read.
      setImmediate(end, false);
    }, ANSWER_WITHIN_MS);
    socket.once('connect', () => socket.write(SSL_REQUEST));
    socket.once('data', () => {
      end(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      isUnreachable = UNREACHABLE.has(code ?? '');
    });
    // It follows each error as well. An unreachable server has the rest of the time, as a network may come back.
    socket.once('close', () => {
      if (!isUnreachable) end(true);
    });
  });
}
