import { register } from 'prom-client';
import { type SiblingProcess, SiblingProcesses } from '../platform/lifecycle/sibling-processes.js';
import type { StopOptions } from './running-service.js';
import type { FromProcess, ToProcess } from './supervisor/messages.js';

const METRICS_WITHIN_MS = 2_000;

/** The channel of a process to its supervisor, and through it to the other processes. */
export class SupervisedProcess extends SiblingProcesses {
  private known: Readonly<Record<string, SiblingProcess>> | undefined;
  private readonly waiting = new Map<number, (texts: readonly string[]) => void>();
  private nextRequest = 0;
  private readonly beginning = Promise.withResolvers<undefined>();

  /** @param onStop is called when all processes are to stop. */
  constructor(onStop: (options: StopOptions) => void) {
    super();
    // Without its supervisor, nothing would stop this process or restart its servers.
    process.on('disconnect', () => process.exit(1));
    process.on('message', (message: ToProcess) => {
      switch (message.kind) {
        case 'begin':
          this.beginning.resolve(undefined);
          break;
        case 'stop':
          onStop(message);
          break;
        case 'siblings':
          this.known = message.states;
          break;
        case 'report_metrics':
          void register.metrics().then(
            (text) => {
              this.say({ kind: 'metrics', request: message.request, text });
            },
            () => undefined,
          );
          break;
        case 'collected_metrics':
          this.waiting.get(message.request)?.(message.texts);
          break;
      }
    });
  }

  /** Resolves when the process may use the database. */
  get begun(): Promise<undefined> {
    return this.beginning.promise;
  }

  /** @param sent is called when the supervisor has received the message or is gone. */
  say(message: FromProcess, sent: () => void = () => undefined): void {
    if (process.connected)
      process.send!(message, undefined, undefined, () => {
        sent();
      });
    else sent();
  }

  /** The supervisor reports the other processes once they are ready. */
  override get haveStarted(): boolean {
    return this.known !== undefined;
  }

  override states(): Readonly<Record<string, SiblingProcess>> {
    return this.known ?? {};
  }

  override metrics(): Promise<readonly string[]> {
    const request = this.nextRequest++;
    return new Promise((resolve) => {
      const done = (texts: readonly string[]): void => {
        clearTimeout(late);
        this.waiting.delete(request);
        resolve(texts);
      };
      const late = setTimeout(() => {
        done([]);
      }, METRICS_WITHIN_MS);
      this.waiting.set(request, done);
      this.say({ kind: 'collect_metrics', request });
    });
  }
}
