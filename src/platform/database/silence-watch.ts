import { connect } from 'node:net';
import type { PooledClient } from './pooled-client.js';

const LOOK_EVERY_MS = 1_000;
/** A statement may take long. From here on, the server is asked whether it is there. */
const SILENT_AFTER_MS = 2_000;
const ANSWER_WITHIN_MS = 2_000;
const QUESTIONS = 2;
/** Every PostgreSQL and every pooler answers it with one byte, before it asks who connects. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Ends connections whose server is gone without a word: the network drops its packets, or its machine does not run any
 * more. The statements that wait on them would be given up by the system after a quarter of an hour. Those of a server
 * that answers go on, however long they take: the server limits them itself.
 */
export class SilenceWatch {
  private readonly clients = new Set<PooledClient>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  add(client: PooledClient): void {
    this.clients.add(client);
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    client.once('end', () => {
      this.clients.delete(client);
      if (this.clients.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    });
  }

  private get silent(): PooledClient[] {
    return [...this.clients].filter((client) => client.silentMs > SILENT_AFTER_MS);
  }

  private async look(): Promise<void> {
    const [first] = this.silent;
    if (this.isLooking || first === undefined) return;
    this.isLooking = true;
    try {
      for (let question = 0; question < QUESTIONS; question++) if (await isThere(first)) return;
      for (const client of this.silent) client.abandon();
    } finally {
      this.isLooking = false;
    }
  }
}

/** True when the server of the client answers a new connection in time, if only with a refusal. */
function isThere({ host, port }: PooledClient): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const end = (answered: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(answered);
    };
    const late = setTimeout(() => {
      end(false);
    }, ANSWER_WITHIN_MS);
    socket.once('connect', () => socket.write(SSL_REQUEST));
    socket.once('data', () => {
      end(true);
    });
    socket.once('error', () => {
      end(false);
    });
    socket.once('close', () => {
      end(false);
    });
  });
}
