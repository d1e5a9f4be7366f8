import { Injectable } from '@nestjs/common';
import { HostingSettings } from './hosting.settings.js';
import { Clock } from '../../platform/time/clock.js';
import { LabelTaken } from './hosting.errors.js';
import { AliasesStore } from './persistence/aliases.store.js';

/** What a host name shows. */
export interface AliasTarget {
  readonly deployId: string;
  readonly projectId: string;
  readonly orgId: string;
  /** `deploy`: one deploy for ever; `branch`: the last of a branch; `production`: what the project shows the world. */
  readonly kind: 'deploy' | 'branch' | 'production';
}

export interface Alias extends AliasTarget {
  readonly label: string;
  readonly updatedAt: Date;
}

/** Which deploy each host name below the apps domain shows. Labels are made by `labels.ts`. */
@Injectable()
export class AliasesService {
  constructor(
    private readonly settings: HostingSettings,
    private readonly aliases: AliasesStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the label show this deploy, from the commit of the running transaction on; every process sees it within 100
   * ms of that. Requests that are being answered go on with the deploy they began with.
   *
   * @throws {LabelTaken} when it belongs to another project.
   */
  async point(label: string, to: AliasTarget): Promise<void> {
    const pointed = await this.aliases.point({ ...to, label, updatedAt: this.clock.now() });
    if (!pointed) throw new LabelTaken(label);
  }

  /**
   * The label shows nothing any more; one that showed nothing is no fault. In the running transaction, as {@link
   * point}.
   */
  async release(label: string): Promise<void> {
    await this.aliases.release(label);
  }

  /** Those of a project, by label. */
  async of(projectId: string): Promise<Alias[]> {
    return this.aliases.of(projectId);
  }

  /** Of these deploys, those that a branch or production shows; the labels of their own do not count. */
  shown(deployIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.aliases.shown(deployIds);
  }

  /** `https://shop-k3f9x2a7cd.apps.example.com`: with the scheme and the port by which callers reach the service. */
  urlOf(label: string): string {
    const { scheme, domain, port } = this.settings.appsUrl;
    return `${scheme}//${label}.${domain}${port}`;
  }
}
