import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AliasesService } from '../../hosting/aliases.service.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import { deployLabel } from '../../hosting/labels.js';
import { DeployKeepingStore } from '../persistence/deploy-keeping.store.js';

const BATCH = 100;
const RULES = { productionDeploys: 10, previewDays: 30, graceHours: 24 };

/** Removes the files of deploys that no retention rule keeps and no host leads to. */
@Injectable()
export class FileRetention {
  constructor(
    private readonly database: Database,
    private readonly keeping: DeployKeepingStore,
    private readonly aliases: AliasesService,
    private readonly artifacts: ArtifactsService,
  ) {}

  /** False when another process is removing files at the same time. */
  async run(stopping: AbortSignal): Promise<boolean> {
    for (let after = ''; ;) {
      const released = await this.database.transaction(async () =>
        (await this.keeping.tryLock()) ? this.release(after) : undefined,
      );
      if (released === undefined) return false;
      for (const id of released.ids) await this.artifacts.remove(id);
      if (released.next === undefined || stopping.aborted) return true;
      after = released.next;
    }
  }

  /**
   * Releases hosts and marks rows before files are removed, so that no host leads to missing files. `next` is the id
   * after which the next batch begins, undefined at the end.
   */
  private async release(after: string): Promise<{ ids: readonly string[]; next: string | undefined }> {
    const unkept = await this.keeping.unkept(RULES, after, BATCH);
    // The rows are locked now: this sees a deploy that has just been made live, and none can be made live meanwhile.
    const shown = await this.aliases.shown(unkept);
    const ids = unkept.filter((id) => !shown.has(id));
    for (const id of ids) await this.aliases.release(deployLabel(id));
    await this.keeping.markRemoved(ids);
    return { ids, next: unkept.length < BATCH ? undefined : unkept.at(-1) };
  }
}
