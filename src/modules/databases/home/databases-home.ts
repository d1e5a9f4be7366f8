import { Injectable } from '@nestjs/common';
import { openServerHome } from '../../../platform/accounts/server-home.js';
import { Config } from '../../../platform/config/config.js';
import { Isolation } from '../../../platform/isolation/isolation.js';
import { Log } from '../../../platform/logging/log.js';

/**
 * The directory of what this machine keeps of databases, which their servers must reach. Everything below it is made
 * after it was opened: where `DATA_DIR` is closed to those servers, it is elsewhere.
 */
@Injectable()
export class DatabasesHome {
  constructor(
    private readonly isolation: Isolation,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Returns its path. @throws {Error} when it is not ours, or cannot be reached any more. */
  open(): string {
    return openServerHome({
      dataDir: this.config.dataDir,
      name: 'databases',
      account: this.isolation.keptAccount,
      log: (line) => {
        this.log.info({}, line);
      },
    });
  }
}
