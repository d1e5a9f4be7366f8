import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { gitAccount, type ServerAccount } from '../../../platform/accounts/server-account.js';
import { openServerDirectory, openServerHome } from '../../../platform/accounts/server-home.js';
import { Config } from '../../../platform/config/config.js';
import { Log } from '../../../platform/logging/log.js';

/**
 * Where repositories lie, and as whom git works on them. What is in them comes from strangers, so that this process
 * never opens, writes or removes anything below {@link directory}: programs of {@link account} do.
 */
@Injectable()
export class RepositoriesHome {
  /** Undefined: the user that we are, who is not root. */
  readonly account: ServerAccount | undefined = gitAccount();
  private opened: string | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * `<DATA_DIR>/repositories/git`, made when it is first asked for. As root others on this machine can pass through, to
   * a repository whose id they know: builds, which have users of their own, read theirs.
   *
   * @throws {Error} where it cannot be made, or belongs to somebody else.
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
