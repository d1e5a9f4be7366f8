import { Injectable } from '@nestjs/common';
import type { AppLogLine, AppLogRequest, AppLogScope } from './persistence/app-log.store.js';
import { AppLogs } from './servers/app-logs.js';
import { APP_LOG_LEVELS, type AppLogLevel, type AppLogStream } from './servers/log-level.js';

export { APP_LOG_LEVELS };
export type { AppLogLevel, AppLogLine, AppLogScope, AppLogStream };

/** Reads what the servers of deploys print, whichever process runs them. */
@Injectable()
export class RuntimeLogsService {
  constructor(private readonly logs: AppLogs) {}

  /**
   * Returns the last lines, or the first ones after `after`, in order. Lines of another process arrive within a second
   * of being printed. The last 2,000 lines of each deploy are kept.
   */
  read(scope: AppLogScope, { levels, after, limit = 500 }: Partial<AppLogRequest> = {}): Promise<AppLogLine[]> {
    return this.logs.read(scope, { levels, after, limit });
  }
}
