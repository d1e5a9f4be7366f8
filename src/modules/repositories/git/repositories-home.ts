import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { gitAccount, type ServerAccount } from '../../../platform/accounts/server-account.js';
import { openServerDirectory, openServerHome } from '../../../platform/accounts/server-home.js';
import { Config } from '../../../platform/config/config.js';
import { Log } from '../../../platform/logging/log.js';

/**
 * The location of the repositories, and the user that git runs as. Their content is untrusted, so that this process
 * never opens, writes or removes anything below {@link directory}: only programs of {@link account} do.
 */
@Injectable()
export class RepositoriesHome {
  /** Undefined when this process does not run as root, and git runs as its user. */
  readonly account: ServerAccount | undefined = gitAccount();
  private opened: string | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * The directory `<DATA_DIR>/repositories/git`, created on first use. When created as root, other users can traverse
   * it to a repository whose id they know, because builds run as users of their own.
   *
   * @throws {Error} when it cannot be created, or belongs to another user.
   */
  get directory(): string {
    this.opened ??= this.open();
    return this.opened;
  }

  private open(): string {
    const home = openServerHome({
      dataDir: this.config.dataDir,
      name: 'repositories',
      account: this.account,
      passable: true,
      log: (line) => {
        this.log.info({}, line);
      },
    });
    return openServerDirectory(join(home, 'git'), this.account, this.account === undefined ? 0o700 : 0o711);
  }
}
