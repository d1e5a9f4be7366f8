import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ScheduleHandler } from '../../platform/background/define-schedule.js';
import { Handles } from '../../platform/background/handles.js';
import { FeaturesSettings } from './features.settings.js';
import { DatabaseNotifications } from '../../platform/database/database-notifications.js';
import { Log } from '../../platform/logging/log.js';
import { Clock } from '../../platform/time/clock.js';
import { FeatureDisabled } from './features.errors.js';
import { featureFlagsSchedule } from './jobs/features.job.js';
import { FLAGS, type FlagName } from './flags/flags.js';
import type { FeatureFlagRow } from './persistence/feature-flag.entity.js';
import { FeatureFlagsStore, FLAGS_CHANNEL } from './persistence/feature-flags.store.js';

/**
 * Where the value of a flag comes from. The environment takes precedence over the database, and the database over the
 * default.
 */
export type FlagSource = 'default' | 'database' | 'env';

/**
 * Keeps the flags in memory, so that reading one costs nothing. Every process sees a toggle within a second through a
 * notification. It also reads all flags whenever the listener has connected, and in each poll.
 */
@Injectable()
@Handles(featureFlagsSchedule)
export class Features implements OnApplicationBootstrap, ScheduleHandler {
  private rows: ReadonlyMap<string, FeatureFlagRow> = new Map();
  private syncedAt: Date | undefined;
  private reading: Promise<void> | undefined;
  /** How often a synchronization was requested. */
  private requestedSyncs = 0;

  constructor(
    private readonly store: FeatureFlagsStore,
    private readonly notifications: DatabaseNotifications,
    private readonly settings: FeaturesSettings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.notifications.listen(FLAGS_CHANNEL, () => {
      void this.sync();
    });
    await this.sync();
  }

  run(): Promise<void> {
    return this.sync();
  }

  isEnabled(name: FlagName): boolean {
    return this.settings.fixedFlags.get(name) ?? this.rows.get(name)?.enabled ?? FLAGS[name].default;
  }

  /** @throws {FeatureDisabled} `feature_disabled` */
  require(name: FlagName): void {
    if (!this.isEnabled(name)) throw new FeatureDisabled(name);
  }

  sourceOf(name: FlagName): FlagSource {
    if (this.settings.fixedFlags.has(name)) return 'env';
    return this.rows.has(name) ? 'database' : 'default';
  }

  /** Seconds since the flags were read from the database; undefined when they never were. */
  get syncAgeSeconds(): number | undefined {
    return this.syncedAt === undefined ? undefined : (this.clock.now().getTime() - this.syncedAt.getTime()) / 1000;
  }

  /**
   * Reads all flags again. A request during a read triggers another read. While the database is unavailable the last
   * values stay.
   */
  sync(): Promise<void> {
    this.requestedSyncs += 1;
    this.reading ??= this.read();
    return this.reading;
  }

  private async read(): Promise<void> {
    const { requestedSyncs } = this;
    try {
      const at = this.clock.now();
      this.rows = new Map((await this.store.all()).map((row) => [row.name, row]));
      this.syncedAt = at;
    } catch (error) {
      this.log.debug({ error }, 'The feature flags could not be read.');
    }
    this.reading = this.requestedSyncs === requestedSyncs ? undefined : this.read();
    await this.reading;
  }
}
