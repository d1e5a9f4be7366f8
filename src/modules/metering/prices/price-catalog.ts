import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { MeteringSettings } from '../metering.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Meter } from '../meter.js';
import { UsageWithoutPrice } from '../domain/metering.errors.js';
import { PriceVersionsStore } from '../persistence/price-versions.store.js';
import { newVersionsIn } from './price-changes.js';
import { readPriceList } from './price-list.js';
import type { PriceVersion } from './price-version.js';

/** A new version must begin later than that from now, so that every process knows of it before it is in force. */
const KNOWN_FOR_MS = 60_000;

/** All versions of all prices: those of the file are added to the database's as a process starts. */
@Injectable()
export class PriceCatalog implements OnApplicationBootstrap {
  private readonly listed: readonly PriceVersion[];
  private added = false;
  private known: { readonly atMs: number; readonly prices: Prices } | undefined;

  /** @throws {Error} when the file cannot be read or has faults. */
  constructor(
    private readonly settings: MeteringSettings,
    private readonly database: Database,
    private readonly store: PriceVersionsStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.listed = readPriceList(settings.pricesFile);
  }

  /** @throws {PricesChanged} The process does not start then. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.current();
    } catch (error) {
      if (error instanceof PricesChanged) throw error;
      // Readiness tells that the database is away or not migrated yet. It is tried again when the first usage is
      // recorded.
      this.log.debug({ error }, 'The prices could not be compared with those of the database.');
    }
  }

  /** Those in force now and those that will be within the next minute. */
  async current(): Promise<Prices> {
    const nowMs = this.clock.now().getTime();
    if (this.known === undefined || nowMs - this.known.atMs > KNOWN_FOR_MS || nowMs < this.known.atMs) {
      // Those that are added must stay, whatever becomes of the caller's transaction. Later on they are read on its own
      // connection: to wait for another one while so many others do the same would be to wait for ever.
      const versions = this.added ? await this.store.list() : await this.database.apart(() => this.add());
      this.known = { atMs: nowMs, prices: new Prices(versions) };
    }
    return this.known.prices;
  }

  private async add(): Promise<PriceVersion[]> {
    const versions = await this.database.transaction(async () => {
      await this.store.lock();
      const there = await this.store.list();
      const { fresh, faults } = newVersionsIn(this.listed, there, this.clock.now());
      if (faults.length > 0) throw new PricesChanged(this.settings.pricesFile, faults);
      await this.store.add(fresh, this.clock.now());
      return [...there, ...fresh];
    });
    this.added = true;
    return versions;
  }
}

/** Usage was rated by what stood there before: a bill must not depend on who looks when. */
class PricesChanged extends Error {
  constructor(path: string, faults: readonly string[]) {
    super(`The prices in ${path} do not go with those of the database:\n  ${faults.join('\n  ')}`);
  }
}

/** The versions at one time. */
export class Prices {
  private readonly byPlace = new Map<string, PriceVersion[]>();

  constructor(versions: readonly PriceVersion[]) {
    for (const version of [...versions].sort((one, other) => other.from.getTime() - one.from.getTime())) {
      const place = placeOf(version.meter, version.model);
      this.byPlace.set(place, [...(this.byPlace.get(place) ?? []), version]);
    }
  }

  /** The version that is in force at that time; undefined where there is none. */
  find(meter: Meter, model: string | null | undefined, at: Date): PriceVersion | undefined {
    return this.byPlace.get(placeOf(meter, model))?.find(({ from }) => from <= at);
  }

  /** That of an id, whenever it is in force. */
  named(id: string): PriceVersion | undefined {
    return [...this.byPlace.values()].flat().find((version) => version.id === id);
  }

  /** @throws {UsageWithoutPrice} */
  get(meter: Meter, model: string | null | undefined, at: Date): PriceVersion {
    const version = this.find(meter, model, at);
    if (version === undefined) throw new UsageWithoutPrice(meter, model, at);
    return version;
  }

  /** Those in force at that time, one of each meter and model. */
  at(time: Date): PriceVersion[] {
    return [...this.byPlace.values()].flatMap((versions) => versions.find(({ from }) => from <= time) ?? []);
  }
}

const placeOf = (meter: Meter, model: string | null | undefined): string => `${meter} ${model ?? ''}`;
