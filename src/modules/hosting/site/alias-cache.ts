import { Injectable } from '@nestjs/common';
import { AliasChanges } from '../persistence/alias-changes.js';
import { keyOfProduction, projectOfKey } from '../persistence/alias-keys.js';
import { AliasesStore, type ShownDeploy } from '../persistence/aliases.store.js';
import { NotifiedCache } from './notified-cache.js';

/** Caches the deploys of labels, and the production deploys of projects. */
@Injectable()
export class AliasCache {
  private readonly cache: NotifiedCache<ShownDeploy>;

  constructor(aliases: AliasesStore, changes: AliasChanges) {
    this.cache = new NotifiedCache((key) => {
      const projectId = projectOfKey(key);
      return projectId === undefined ? aliases.findShown(key) : aliases.findShownInProduction(projectId);
    });
    changes.listen(this.cache);
  }

  /** Returns the deploy of a label without waiting, or undefined when the database must be queried. */
  known(label: string): ShownDeploy | null | undefined {
    return this.cache.known(label);
  }

  /** Returns null for an unknown label. While the database is unavailable, it returns the last known deploy. */
  find(label: string): Promise<ShownDeploy | null> {
    return this.cache.find(label);
  }

  /** {@link known} for the production deploy of a project. */
  knownProduction(projectId: string): ShownDeploy | null | undefined {
    return this.cache.known(keyOfProduction(projectId));
  }

  /** {@link find} for the production deploy of a project. */
  findProduction(projectId: string): Promise<ShownDeploy | null> {
    return this.cache.find(keyOfProduction(projectId));
  }
}
