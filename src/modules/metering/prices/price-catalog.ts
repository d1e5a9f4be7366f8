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

/** How long prices are cached. New versions must begin further ahead, so that every process knows them in time. */
const KNOWN_FOR_MS = 60_000;

/** All versions of all prices. When a process starts, it adds those of the file to the database. */
@Injectable()
export class PriceCatalog implements OnApplicationBootstrap {
  private readonly listed: readonly PriceVersion[];
  private readonly operators: ReadonlySet<string>;
  private added = false;
  private known: { readonly atMs: number; readonly prices: Prices } | undefined;

  /** @throws {Error} when the file cannot be read or is invalid. */
  constructor(
    private readonly settings: MeteringSettings,
    private readonly database: Database,
    private readonly store: PriceVersionsStore,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.listed = readPriceList(settings.pricesFile);
    this.operators = new Set(this.listed.map(({ meter, model }) => placeOf(meter, model)));
  }

  /** @throws {PricesChanged} when a stored version changed. The process does not start then. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.current();
    } catch (error) {
      if (error instanceof PricesChanged) throw error;
      // Readiness reports a database that is unavailable or not migrated yet. The comparison is repeated when the first
      // usage is recorded.
      this.log.debug({ error }, 'Could not compare the prices with the database.');
    }
  }

  /** Returns the versions known now, including those that begin within the next minute. */
  async current(): Promise<Prices> {
    const nowMs = this.clock.now().getTime();
    if (this.known === undefined || nowMs - this.known.atMs > KNOWN_FOR_MS || nowMs < this.known.atMs) {
      // Added versions must stay even if the caller's transaction is rolled back, so they use a connection of their
      // own. Later reads use the caller's connection: waiting for a second one could deadlock when many callers do the
      // same.
      const versions = this.added ? await this.store.list() : await this.database.apart(() => this.add());
      this.known = { atMs: nowMs, prices: new Prices(versions) };
    }
    return this.known.prices;
  }

  /** Reads the versions again when they are needed next. */
  forget(): void {
    this.known = undefined;
  }

  /** True when the file of the operator names a price for this meter and model. */
  isOperators({ meter, model }: Pick<PriceVersion, 'meter' | 'model'>): boolean {
    return this.operators.has(placeOf(meter, model));
  }

  private async add(): Promise<PriceVersion[]> {
    const versions = await this.database.transaction(async () => {
      await this.store.lock();
      const stored = await this.store.list();
      const { fresh, faults } = newVersionsIn(this.listed, stored, this.clock.now());
      if (faults.length > 0) throw new PricesChanged(this.settings.pricesFile, faults);
      await this.store.add(fresh, this.clock.now());
      return [...stored, ...fresh];
    });
    this.added = true;
    return versions;
  }
}

/** A stored version has changed. Past usage was priced with it, so an invoice would depend on the time of reading. */
class PricesChanged extends Error {
  constructor(path: string, faults: readonly string[]) {
    super(`The prices in ${path} conflict with the database:\n  ${faults.join('\n  ')}`);
  }
}

/** All versions of prices, as known at one time. */
export class Prices {
  private readonly byPlace = new Map<string, PriceVersion[]>();

  constructor(versions: readonly PriceVersion[]) {
    for (const version of [...versions].sort((one, other) => other.from.getTime() - one.from.getTime())) {
      const place = placeOf(version.meter, version.model);
      this.byPlace.set(place, [...(this.byPlace.get(place) ?? []), version]);
    }
  }

  /** Returns the version in force at a time, or undefined when there is none. */
  find(meter: Meter, model: string | null | undefined, at: Date): PriceVersion | undefined {
    return this.byPlace.get(placeOf(meter, model))?.find(({ from }) => from <= at);
  }

  /** Returns the version with an id, whenever it is in force. */
  byId(id: string): PriceVersion | undefined {
    return [...this.byPlace.values()].flat().find((version) => version.id === id);
  }

  /** @throws {UsageWithoutPrice} */
  get(meter: Meter, model: string | null | undefined, at: Date): PriceVersion {
    const version = this.find(meter, model, at);
    if (version === undefined) throw new UsageWithoutPrice(meter, model, at);
    return version;
  }

  /** Returns the versions in force at a time, one of each meter and model. */
  at(time: Date): PriceVersion[] {
    return [...this.byPlace.values()].flatMap((versions) => versions.find(({ from }) => from <= time) ?? []);
  }
}

const placeOf = (meter: Meter, model: string | null | undefined): string => `${meter} ${model ?? ''}`;
