import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { PriceUpdatesService } from '../../metering/price-updates.service.js';
import { AiSettings } from '../ai.settings.js';
import { ModelsStore, type TokenPrices } from '../persistence/models.store.js';
import type { ListedModel, ModelRouter } from '../routers/model-router.js';
import { ModelRouters } from '../routers/model-routers.js';
import { changesOf, type Listing } from './listings.js';
import { PriceSyncReports } from './price-sync-reports.js';

const HOUR_MS = 3_600_000;
const LIST_TIMEOUT_MS = 30_000;

/**
 * Takes over the models and prices of the routers: once an hour, and each time that it runs from a router that charges
 * nothing, where the operator may have added a model. When a router does not answer, its models and prices stay.
 */
@Injectable()
export class PriceSyncService {
  private readonly dueAtMs = new Map<string, number>();

  constructor(
    private readonly settings: AiSettings,
    private readonly routers: ModelRouters,
    private readonly store: ModelsStore,
    private readonly prices: PriceUpdatesService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly reports: PriceSyncReports,
  ) {}

  /** Reads the lists of the routers that are due, and stores what has changed. */
  async run(stopping: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const due = this.routers.all.filter(({ id }) => (this.dueAtMs.get(id) ?? 0) <= now.getTime());
    if (due.length === 0 && this.routers.all.length > 0) return;
    const lists = new Map<string, readonly ListedModel[]>();
    await Promise.all(
      due.map(async (router) => {
        const list = await this.listOf(router, stopping);
        if (list !== undefined) lists.set(router.id, list);
      }),
    );
    if (stopping.aborted) return;
    const refused = await this.database.transaction(() => this.save(lists));
    for (const [id, list] of lists) {
      if (list.some(({ pricesNano }) => pricesNano !== null && !isFree(pricesNano)))
        this.dueAtMs.set(id, now.getTime() + HOUR_MS);
      this.reports.synchronized(id, now);
    }
    this.reports.refused(refused);
  }

  /** @returns the IDs of models whose new prices were refused. */
  private async save(lists: ReadonlyMap<string, readonly ListedModel[]>): Promise<string[]> {
    await this.store.lock();
    const stored = await this.store.list();
    const { put, unlisted } = changesOf({
      routers: this.routers.all,
      lists,
      stored,
      fileModels: this.settings.models,
      offersOnlyListed: this.settings.offersOnlyListed,
      markupPercent: this.settings.markupPercent,
    });
    const now = this.clock.now();
    await this.prices.adopt(put.flatMap(updatesOf));
    await this.store.put(
      put.map(({ model }) => model),
      now,
    );
    await this.store.unlist(unlisted, now);
    const refusedNow = put.filter(({ model }) => model.refusedPrices !== null).map(({ model }) => model.id);
    const isPut = new Set(put.map(({ model }) => model.id));
    const refusedBefore = stored.filter(
      ({ id, isListed, refusedPrices }) => isListed && refusedPrices && !isPut.has(id),
    );
    const gone = new Set(unlisted);
    return [...refusedNow, ...refusedBefore.map(({ id }) => id).filter((id) => !gone.has(id))].sort();
  }

  private async listOf(router: ModelRouter, stopping: AbortSignal): Promise<readonly ListedModel[] | undefined> {
    try {
      return await router.models(AbortSignal.any([stopping, AbortSignal.timeout(LIST_TIMEOUT_MS)]));
    } catch (error) {
      if (!stopping.aborted) this.reports.failed(router.id, error, this.clock.now());
      return undefined;
    }
  }
}

const isFree = (prices: ListedModel['pricesNano']): boolean =>
  prices !== 'dynamic' && Object.values(prices ?? {}).every((nano) => nano === 0n);

const updatesOf = ({ model, prices = {} }: Listing): { meter: 'ai_tokens'; model: string; priceNano: bigint }[] =>
  Object.entries(prices satisfies TokenPrices).map(([kind, priceNano]) => ({
    meter: 'ai_tokens',
    model: `${model.id}:${kind}`,
    priceNano,
  }));
