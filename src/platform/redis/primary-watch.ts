import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';

const LOOK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 1_000;
/** A sentinel that lags behind must not take connections away from the primary for longer. */
const MOVES_FOR_MS = 15_000;

/** Returns the addresses at which the primary may be connected. */
export type Primary = { readonly addresses: readonly string[]; readonly port: number };

/**
 * Asks the sentinels each second which server is the primary. Connections to one that has died end by themselves; those
 * to one that hangs, or is cut off from the sentinels only, would stay with it after another one was promoted.
 */
export class PrimaryWatch {
  private sentinel: Redis | undefined;
  private index = 0;
  private announced: string | undefined;
  private movesUntilMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  /** @param onMoved called several times after a change. */
  constructor(
    private readonly options: RedisOptions,
    private readonly onMoved: (primary: Primary) => void,
  ) {
    this.lookLater();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.sentinel?.disconnect();
  }

  private lookLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      void this.look().finally(() => {
        this.lookLater();
      });
    }, LOOK_EVERY_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      this.sentinel ??= this.connect();
      const answer = (await this.sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.options.name!)) as
        string[] | null;
      if (answer === null) throw new Error('This sentinel does not know the primary.');
      await this.heard(answer[0]!, Number(answer[1]));
    } catch {
      this.sentinel?.disconnect();
      this.sentinel = undefined;
      this.index += 1;
    }
  }

  private async heard(host: string, port: number): Promise<void> {
    const announced = `${host} ${port}`;
    const before = this.announced;
    this.announced = announced;
    if (before !== undefined && before !== announced) this.movesUntilMs = performance.now() + MOVES_FOR_MS;
    if (this.stopped || performance.now() > this.movesUntilMs) return;
    const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
    this.onMoved({ addresses: found.map(({ address }) => address), port });
  }

  private connect(): Redis {
    const { sentinels = [], sentinelUsername, sentinelPassword, sentinelTLS } = this.options;
    const { host = '', port = 0 } = sentinels[this.index % sentinels.length]!;
    const sentinel = new Redis({
      host,
      port,
      ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
      ...(sentinelPassword == null ? {} : { password: sentinelPassword }),
      ...(sentinelTLS === undefined ? {} : { tls: sentinelTLS }),
      connectTimeout: ANSWER_WITHIN_MS,
      commandTimeout: ANSWER_WITHIN_MS,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    sentinel.on('error', () => undefined);
    return sentinel;
  }
}

/** True for a connection that has a server, and another one than the primary. */
export function isElsewhere({ stream }: Redis, { addresses, port }: Primary): boolean {
  // Between two attempts there is none, or that of the attempt before.
  const { destroyed = true, remoteAddress, remotePort } = (stream as Redis['stream'] | undefined) ?? {};
  if (destroyed || remoteAddress === undefined) return false;
  return remotePort !== port || !addresses.includes(remoteAddress.replace(/^::ffff:/, ''));
}
