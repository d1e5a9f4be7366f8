import { Injectable } from '@nestjs/common';
import { AliasChanges } from '../persistence/alias-changes.js';
import { keyOfProduction, projectOfKey } from '../persistence/alias-keys.js';
import { AliasesStore } from '../persistence/aliases.store.js';
import { NotifiedCache } from './notified-cache.js';

/** The deploy that a host serves. */
export interface ShownDeploy {
  readonly deployId: string;
  readonly orgId: string;
}

/** Caches the deploys of labels, and the production deploys of projects. */
@Injectable()
export class AliasCache {
  private readonly cache: NotifiedCache<ShownDeploy>;

  constructor(aliases: AliasesStore, changes: AliasChanges) {
    this.cache = new NotifiedCache(async (key) => {
      const projectId = projectOfKey(key);
      const alias = projectId === undefined ? await aliases.find(key) : await aliases.findProduction(projectId);
      return alias === null ? null : { deployId: alias.deployId, orgId: alias.orgId };
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
