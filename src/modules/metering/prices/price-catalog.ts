import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { MeteringSettings } from '../metering.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Meter } from '../meter.js';
import { UsageWithoutPrice } from '../domain/metering.errors.js';
import { PriceVersionsStore } from '../persistence/price-versions.store.js';
import { newVersionsIn } from './price-changes.js';
import { type PriceList, readPriceList } from './price-list.js';
import { type PriceVersion, STANDARD_BOOK } from './price-version.js';

/** How long prices are cached. New versions must begin further ahead, so that every process knows them in time. */
const KNOWN_FOR_MS = 60_000;

/** All versions of all prices. When a process starts, it adds those of the file to the database. */
@Injectable()
export class PriceCatalog implements OnApplicationBootstrap {
  private readonly listed: PriceList;
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
    this.operators = new Set(
      this.listed.versions
        .filter(({ book }) => book === STANDARD_BOOK)
        .map(({ meter, model }) => placeOf(STANDARD_BOOK, meter, model)),
    );
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
      this.known = { atMs: nowMs, prices: new Prices(versions, this.listed.books) };
    }
    return this.known.prices;
  }

  /** Reads the versions again when they are needed next. */
  forget(): void {
    this.known = undefined;
  }

  /** True when the file of the operator names a price for this meter and model. */
  isOperators({ meter, model }: Pick<PriceVersion, 'meter' | 'model'>): boolean {
    return this.operators.has(placeOf(STANDARD_BOOK, meter, model));
  }

  private async add(): Promise<PriceVersion[]> {
    const versions = await this.database.transaction(async () => {
      await this.store.lock();
      const stored = await this.store.list();
      const { fresh, faults } = newVersionsIn(this.listed.versions, stored, this.clock.now());
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

/** What is priced: usage of a meter by an organization. */
export interface Priced {
  readonly orgId: string;
  readonly meter: Meter;
  /** `<model>:<kind>`, for a meter that has models. */
  readonly model?: string | null | undefined;
}

/** All versions of prices, as known at one time. */
export class Prices {
  private readonly byPlace = new Map<string, PriceVersion[]>();

  constructor(
    versions: readonly PriceVersion[],
    private readonly books: ReadonlyMap<string, string>,
  ) {
    for (const version of [...versions].sort((one, other) => other.from.getTime() - one.from.getTime())) {
      const place = placeOf(version.book, version.meter, version.model);
      this.byPlace.set(place, [...(this.byPlace.get(place) ?? []), version]);
    }
  }

  /**
   * Returns the version that was in force for an organization: of its own book, or else of the standard one. Returns
   * undefined when there is none.
   */
  find({ orgId, meter, model }: Priced, at: Date): PriceVersion | undefined {
    const book = this.books.get(orgId) ?? STANDARD_BOOK;
    const own = this.inForce(placeOf(book, meter, model), at);
    return own ?? (book === STANDARD_BOOK ? undefined : this.inForce(placeOf(STANDARD_BOOK, meter, model), at));
  }

  /** Returns the version with an id, whenever it is in force. */
  byId(id: string): PriceVersion | undefined {
    return [...this.byPlace.values()].flat().find((version) => version.id === id);
  }

  /** @throws {UsageWithoutPrice} */
  get(priced: Priced, at: Date): PriceVersion {
    const version = this.find(priced, at);
    if (version === undefined) throw new UsageWithoutPrice(priced.meter, priced.model, at);
    return version;
  }

  /** Returns the versions of the standard book in force at a time, one of each meter and model. */
  at(time: Date): PriceVersion[] {
    return [...this.byPlace.values()].flatMap((versions) => {
      const version = versions.find(({ from }) => from <= time);
      return version?.book === STANDARD_BOOK ? [version] : [];
    });
  }

  private inForce(place: string, at: Date): PriceVersion | undefined {
    return this.byPlace.get(place)?.find(({ from }) => from <= at);
  }
}

const placeOf = (book: string, meter: Meter, model: string | null | undefined): string =>
  `${book} ${meter} ${model ?? ''}`;
