import { Injectable } from '@nestjs/common';
import { HostingSettings } from './hosting.settings.js';
import { Clock } from '../../platform/time/clock.js';
import { LabelTaken } from './hosting.errors.js';
import { AliasesStore } from './persistence/aliases.store.js';

/** The deploy that a host name serves. */
export interface AliasTarget {
  readonly deployId: string;
  readonly projectId: string;
  readonly orgId: string;
  /** `deploy` always serves one deploy, `branch` the latest of a branch, `production` the production deploy. */
  readonly kind: 'deploy' | 'branch' | 'production';
}

export interface Alias extends AliasTarget {
  readonly label: string;
  readonly updatedAt: Date;
}

/** Maps host names below the apps domain to deploys. `labels.ts` creates the labels. */
@Injectable()
export class AliasesService {
  constructor(
    private readonly settings: HostingSettings,
    private readonly aliases: AliasesStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Points the label to this deploy when the current transaction commits. Every process sees the change within 100 ms.
   * Active requests stay with the deploy that they started with.
   *
   * @throws {LabelTaken} when it belongs to another project.
   */
  async point(label: string, to: AliasTarget): Promise<void> {
    const pointed = await this.aliases.point({ ...to, label, updatedAt: this.clock.now() });
    if (!pointed) throw new LabelTaken(label);
  }

  /** Removes the label when the current transaction commits. A label that does not exist is ignored. */
  async release(label: string): Promise<void> {
    await this.aliases.release(label);
  }

  /** Returns the aliases of a project, ordered by label. */
  async of(projectId: string): Promise<Alias[]> {
    return this.aliases.of(projectId);
  }

  /** Returns which of these deploys a branch or production alias serves. Aliases of kind `deploy` do not count. */
  shown(deployIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.aliases.shown(deployIds);
  }

  /** Returns `https://shop-k3f9x2a7cd.apps.example.com`, with the scheme and port of `APPS_URL`. */
  urlOf(label: string): string {
    const { scheme, domain, port } = this.settings.appsUrl;
    return `${scheme}//${label}.${domain}${port}`;
  }
}
