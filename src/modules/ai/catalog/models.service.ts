import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { PriceUpdatesService } from '../../metering/price-updates.service.js';
import { PricesService } from '../../metering/prices.service.js';
import { ModelNotFound } from '../ai.errors.js';
import { AiSettings } from '../ai.settings.js';
import type { OfferedModel } from '../domain/offered-model.js';
import { type ModelRow, ModelsStore, type TokenPrices } from '../persistence/models.store.js';
import type { Protocol } from '../routers/model-router.js';
import { ModelRouters } from '../routers/model-routers.js';
import { planRoute, type RoutePlan } from '../routing/route-plan.js';
import { billedKinds } from './token-prices.js';

/** How long models and prices are cached. */
const KNOWN_FOR_MS = 10_000;
/** An unknown name is looked up again, but not for every call. */
const MISSED_FOR_MS = 1_000;
/** A change this recent may come with prices that this process does not know yet. */
const RECENT_MS = 60_000;

/** An offered model, as the list shows it. */
export interface ShownModel extends OfferedModel {
  readonly aliases: readonly string[];
  /** When the service first offered it. */
  readonly createdAt: Date;
}

interface Known {
  readonly atMs: number;
  readonly byId: ReadonlyMap<string, ShownModel>;
  readonly byAlias: ReadonlyMap<string, ShownModel>;
}

/** The models that callers can use now. */
@Injectable()
export class ModelsService {
  private known: Known | undefined;
  private loading: Promise<Known> | undefined;

  constructor(
    private readonly settings: AiSettings,
    private readonly routers: ModelRouters,
    private readonly store: ModelsStore,
    private readonly prices: PricesService,
    private readonly updates: PriceUpdatesService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns all offered models, ordered by their IDs. There are none without a router. */
  async list(): Promise<ShownModel[]> {
    return [...(await this.current(KNOWN_FOR_MS)).byId.values()];
  }

  /** Returns the model with this ID or alias, or undefined. */
  async find(idOrAlias: string): Promise<ShownModel | undefined> {
    const known = await this.current(KNOWN_FOR_MS);
    return findIn(known, idOrAlias) ?? findIn(await this.current(MISSED_FOR_MS), idOrAlias);
  }

  /**
   * @throws {ModelRouterNotConfigured} `model_router_not_configured`
   * @throws {ModelNotFound} `model_not_found`
   */
  async get(idOrAlias: string): Promise<ShownModel> {
    this.routers.requireAny();
    const model = await this.find(idOrAlias);
    if (model === undefined) throw new ModelNotFound(idOrAlias);
    return model;
  }

  /**
   * Plans a request by its fields `model` and `models`.
   *
   * @throws {ModelRouterNotConfigured} `model_router_not_configured`
   * @throws {ModelNotFound} `model_not_found`
   * @throws {RequestInvalid} `invalid_request`
   */
  async plan(asked: {
    readonly protocol: Protocol;
    readonly model: unknown;
    readonly models?: unknown;
  }): Promise<RoutePlan> {
    this.routers.requireAny();
    const known = await this.current(KNOWN_FOR_MS);
    try {
      return planRoute(asked, (name) => getFrom(known, name));
    } catch (error) {
      if (!(error instanceof ModelNotFound)) throw error;
      // It may have been added since.
      const fresh = await this.current(MISSED_FOR_MS);
      return planRoute(asked, (name) => getFrom(fresh, name));
    }
  }

  private async current(maxAgeMs: number): Promise<Known> {
    const ageMs = this.clock.now().getTime() - (this.known?.atMs ?? Number.NEGATIVE_INFINITY);
    if (this.known !== undefined && ageMs >= 0 && ageMs < maxAgeMs) return this.known;
    // Callers share one read, which is in no transaction of theirs.
    this.loading ??= this.database
      .apart(() => this.load())
      .finally(() => {
        this.loading = undefined;
      });
    return this.loading;
  }

  private async load(): Promise<Known> {
    const now = this.clock.now();
    const rows = (await this.store.list()).filter((row) => isServed(row, this.routers, now));
    if (rows.some(({ updatedAt }) => updatedAt.getTime() > now.getTime() - RECENT_MS)) this.updates.refresh();
    const prices = new Map(
      (await this.prices.list(now)).flatMap(({ meter, model, priceNano }) =>
        meter === 'ai_tokens' && model !== null ? [[model, priceNano] as const] : [],
      ),
    );
    const files = new Map(this.settings.models.map((model) => [model.id, model]));
    const offered = rows.flatMap((row) => {
      const file = files.get(row.id);
      const isPriced =
        row.upstreamPrices !== null ||
        file?.pricesNano !== undefined ||
        this.updates.isOperators({ meter: 'ai_tokens', model: `${row.id}:input` });
      const pricesNano = isPriced ? pricesOf(row, prices) : undefined;
      return pricesNano === undefined ? [] : [shownModel(row, pricesNano, file?.aliases ?? [])];
    });
    this.known = {
      atMs: now.getTime(),
      byId: new Map(offered.map((model) => [model.id, model])),
      byAlias: new Map(offered.flatMap((model) => model.aliases.map((alias) => [alias, model] as const))),
    };
    return this.known;
  }
}

/** An alias is the will of the operator, and so comes before a model that a router lists under the same name. */
const findIn = ({ byId, byAlias }: Known, name: string): ShownModel | undefined => byAlias.get(name) ?? byId.get(name);

function getFrom(known: Known, name: string): ShownModel {
  const model = findIn(known, name);
  if (model === undefined) throw new ModelNotFound(name);
  return model;
}

const isServed = ({ isListed, router, expiresAt }: ModelRow, routers: ModelRouters, now: Date): boolean =>
  isListed && routers.find(router) !== undefined && (expiresAt === null || expiresAt > now);

/** Returns undefined when a kind of tokens that the model bills has no price. */
function pricesOf({ id, protocols }: ModelRow, prices: ReadonlyMap<string, bigint>): TokenPrices | undefined {
  const pairs = billedKinds(protocols).map((kind) => [kind, prices.get(`${id}:${kind}`)] as const);
  return pairs.some(([, nano]) => nano === undefined) ? undefined : Object.fromEntries(pairs);
}

const shownModel = (row: ModelRow, pricesNano: TokenPrices, aliases: readonly string[]): ShownModel => ({
  id: row.id,
  name: row.name,
  router: row.router,
  upstreamId: row.upstreamId,
  contextTokens: row.contextTokens,
  maxOutputTokens: row.maxOutputTokens,
  inputModalities: row.inputModalities,
  outputModalities: row.outputModalities,
  protocols: row.protocols,
  pricesNano,
  upstreamPricesNano: row.upstreamPrices,
  expiresAt: row.expiresAt,
  aliases,
  createdAt: row.createdAt,
});
