import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';

/** Where the running code is in its trace. What it causes is only recorded if it is itself. */
export type SpanPosition =
  | { readonly isSampled: false }
  | {
      readonly isSampled: true;
      /** 16 hex digits. */
      readonly spanId: string;
    };

/** The ids that log lines and jobs carry, so that one search finds everything that a request caused. */
export interface Correlation {
  readonly requestId: string;
  readonly traceId: string;
  /** What modules add to log lines, for example the id of an account. */
  readonly logFields?: Readonly<Record<string, string>>;
  /** What an inner call is made through, for example `mcp:create_project`. */
  readonly via?: string;
  /** Absent while traces are off. */
  readonly span?: SpanPosition;
}

/** Knows the request, or the job of a request, that the running code belongs to. */
@Injectable()
export class RequestContext {
  private readonly storage = new AsyncLocalStorage<Correlation>();

  /** Undefined outside of requests and jobs, for example at start. */
  get current(): Correlation | undefined {
    return this.storage.getStore();
  }

  run<T>(correlation: Correlation, work: () => T): T {
    return this.storage.run(correlation, work);
  }
}
