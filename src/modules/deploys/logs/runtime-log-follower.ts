import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import {
  type AppLogLevel,
  type AppLogLine,
  type AppLogScope,
  RuntimeLogsService,
} from '../../hosting/runtime-logs.service.js';

const BATCH = 1_000;
/** Servers write their lines twice a second, in other processes. */
const POLL_EVERY_MS = 1_000;

export interface RuntimeLogRequest {
  /** Undefined for all levels. */
  readonly levels: readonly AppLogLevel[] | undefined;
  /** The lines after this `seq`; undefined begins with the last `limit` lines. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** Lines, possibly none, or the `seq` to go on with. */
export type RuntimeLogNews = { readonly lines: readonly AppLogLine[] } | { readonly end: RuntimeLogEnd };

interface RuntimeLogEnd {
  /** The `seq` after which the next lines are. */
  readonly after: number;
  /** True when there are more lines already. */
  readonly more: boolean;
}

/** Reads and follows what the servers of a project print. */
@Injectable()
export class RuntimeLogFollower {
  constructor(
    private readonly logs: RuntimeLogsService,
    private readonly shutdown: Shutdown,
  ) {}

  /** Yields up to `limit` lines that exist now, and at last where to go on. */
  async *read(scope: AppLogScope, { levels, after, limit }: RuntimeLogRequest): AsyncGenerator<RuntimeLogNews> {
    // One more line tells whether there are more. Without `after`, the last lines are read, so that there are none.
    const found = await this.logs.read(scope, { levels, after, limit: after === undefined ? limit : limit + 1 });
    const lines = found.slice(0, limit);
    yield { lines };
    yield { end: { after: lines.at(-1)?.seq ?? after ?? 0, more: found.length > limit } };
  }

  /** Yields lines as they are printed, until this process stops or `signal` is aborted. A caller can then resume. */
  async *follow(scope: AppLogScope, request: RuntimeLogRequest, signal: AbortSignal): AsyncGenerator<RuntimeLogNews> {
    const { levels, limit } = request;
    let { after } = request;
    while (!signal.aborted && !this.shutdown.isDraining) {
      const size = after === undefined ? limit : BATCH;
      const lines = await this.logs.read(scope, { levels, after, limit: size });
      after = lines.at(-1)?.seq ?? after ?? 0;
      yield { lines };
      if (lines.length < BATCH) await sleep(POLL_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
