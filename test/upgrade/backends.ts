import { Agent, request } from 'node:http';
import { until } from '../support/embedded-servers.js';
import type { Running } from './release.js';

/** Far more often than DRAIN_DELAY_MS. */
const PROBE_EVERY_MS = 250;
const GIVE_UP_AFTER_MS = 60_000;

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/**
 * The processes of one role behind a load balancer that checks `/ready` and does no more: it gives each request to the
 * next process, and never sends one again. A process takes part once it is ready, until it says that it stops; for
 * being slow, as on a machine that is busy with tests, it is not taken out.
 */
export class Backends {
  private readonly ready = new Map<Running, boolean>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly timer = setInterval(() => {
    for (const running of this.ready.keys()) void this.probe(running);
  }, PROBE_EVERY_MS);
  private turn = 0;

  constructor(private readonly portOf: (running: Running) => number) {}

  /** Resolves once it gets requests. */
  async add(running: Running): Promise<void> {
    this.ready.set(running, false);
    await until('it is ready', () => this.ready.get(running) === true, 30_000);
  }

  /** Forgets one that has ended. */
  remove(running: Running): void {
    this.ready.delete(running);
  }

  close(): void {
    clearInterval(this.timer);
    this.agent.destroy();
  }

  async send(what: Request): Promise<Answered> {
    return this.sendTo(this.next(), what);
  }

  /** The address of the next process, for programs that send more than one request. */
  get origin(): string {
    return `http://127.0.0.1:${this.portOf(this.next())}`;
  }

  private next(): Running {
    const ready = [...this.ready].filter(([, isReady]) => isReady).map(([running]) => running);
    const next = ready[this.turn++ % ready.length];
    if (next === undefined) throw new Error('No process is ready.');
    return next;
  }

  private sendTo(running: Running, { method = 'GET', path, headers = {}, body }: Request): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const place = { host: '127.0.0.1', port: this.portOf(running), agent: this.agent, timeout: GIVE_UP_AFTER_MS };
      const call = request({ ...place, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.once('end', () => {
          resolve({ status: response.statusCode!, text });
        });
        response.once('error', reject);
      });
      call.once('timeout', () => call.destroy(new Error(`No answer within ${GIVE_UP_AFTER_MS} ms.`)));
      call.once('error', reject);
      call.end(body);
    });
  }

  private async probe(running: Running): Promise<void> {
    const answer = await running.service.get('/ready').catch(() => undefined);
    if (!this.ready.has(running)) return;
    if (answer?.status === 200) this.ready.set(running, true);
    else if (answer === undefined || answer.body.status === 'shutting_down') this.ready.set(running, false);
  }
}
