import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';

/** The ids that a log line and a job carry, so that one search finds all that a call has caused. */
export interface Correlation {
  readonly requestId: string;
  readonly traceId: string;
  /** What modules add to log lines, an account's id for example. */
  readonly logFields?: Readonly<Record<string, string>>;
}

/** Knows for which request, or job of a request, the running code works. */
@Injectable()
export class RequestContext {
  private readonly storage = new AsyncLocalStorage<Correlation>();

  /** Undefined outside of requests and jobs, at start-up for one. */
  get current(): Correlation | undefined {
    return this.storage.getStore();
  }

  run<T>(correlation: Correlation, work: () => T): T {
    return this.storage.run(correlation, work);
  }
}
