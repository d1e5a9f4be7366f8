import { Injectable } from '@nestjs/common';
import { FeaturesSettings } from '../features.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { RequestContext } from '../../../platform/logging/request-context.js';
import { Clock } from '../../../platform/time/clock.js';
import { AUDIT_ENTRY_ID } from '../../audit/audit.ids.js';
import { actingOperator } from '../../operators/acting-operator.js';
import { FlagFixed, FlagNotAllowlisted, FlagNotFound, FlagVersionStale } from '../features.errors.js';
import { Features, type FlagSource } from '../features.js';
import { FLAG_NAMES, FLAGS, type FlagName, isFlagName } from './flags.js';
import type { FeatureFlagRow } from '../persistence/feature-flag.entity.js';
import { FeatureFlagsStore } from '../persistence/feature-flags.store.js';

export interface ShownFlag {
  readonly name: FlagName;
  readonly enabled: boolean;
  readonly default: boolean;
  readonly source: FlagSource;
  readonly allowlisted: boolean;
  readonly description: string;
  /** 0 for a flag that was never toggled. */
  readonly version: number;
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
}

export interface UpdateFlagInput {
  readonly name: string;
  readonly enabled: boolean;
  readonly reason: string | undefined;
  /** The version that the caller has read; undefined to accept any. */
  readonly expectedVersion: number | undefined;
}

export interface Toggled {
  readonly flag: ShownFlag;
  readonly previous: boolean;
  /** The id of the audit row, which records who toggled which flag, when and why. */
  readonly auditId: string;
}

/** Shows the flags to operators and toggles those that are on the allowlist (service document §4). */
@Injectable()
export class FlagAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly store: FeatureFlagsStore,
    private readonly features: Features,
    private readonly settings: FeaturesSettings,
    private readonly context: RequestContext,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Returns the flags from the database, not from the cache of this process. */
  async list(): Promise<ShownFlag[]> {
    const rows = new Map((await this.store.all()).map((row) => [row.name, row]));
    return FLAG_NAMES.map((name) => this.shown(name, rows.get(name)));
  }

  /**
   * @throws {FlagNotFound} `flag_not_found`
   * @throws {FlagNotAllowlisted} `flag_not_allowlisted`
   * @throws {FlagFixed} `flag_fixed`
   * @throws {FlagVersionStale} `stale_version`
   */
  async toggle({ name, enabled, reason, expectedVersion }: UpdateFlagInput): Promise<Toggled> {
    if (!isFlagName(name)) throw new FlagNotFound(FLAG_NAMES);
    const allowlist = this.settings.allowlist;
    if (!allowlist.includes(name)) throw new FlagNotAllowlisted(name, allowlist);
    if (this.settings.fixedFlags.has(name)) throw new FlagFixed(name);

    const toggled = await this.database.transaction(async () => {
      const row = await this.store.lock(name);
      const version = row?.version ?? 0;
      if (expectedVersion !== undefined && expectedVersion !== version) throw new FlagVersionStale(name, version);

      const now = this.clock.now();
      const actor = actingOperator(this.context.current);
      const previous = row?.enabled ?? FLAGS[name].default;
      const flag = { name, enabled, version: version + 1, updatedAt: now, updatedBy: actor };
      const auditId = this.ids.next(AUDIT_ENTRY_ID);
      const requestId = this.context.current?.requestId ?? '';
      await this.store.save(flag, {
        id: auditId,
        name,
        previous,
        enabled,
        reason: reason ?? null,
        changedAt: now,
        changedBy: actor,
        requestId,
      });
      return { flag: this.shown(name, flag), previous, auditId };
    });
    // The caller must see its own toggle at once.
    await this.features.sync();
    return toggled;
  }

  get allowlist(): readonly string[] {
    return this.settings.allowlist;
  }

  private shown(name: FlagName, row: FeatureFlagRow | undefined): ShownFlag {
    const fixed = this.settings.fixedFlags.get(name);
    return {
      name,
      enabled: fixed ?? row?.enabled ?? FLAGS[name].default,
      default: FLAGS[name].default,
      source: fixed !== undefined ? 'env' : row === undefined ? 'default' : 'database',
      allowlisted: this.settings.allowlist.includes(name),
      description: FLAGS[name].description,
      version: row?.version ?? 0,
      updatedAt: row?.updatedAt,
      updatedBy: row?.updatedBy,
    };
  }
}
