import type { ModelRow, StoredModel, TokenPrices } from '../persistence/models.store.js';
import type { ListedModel, ModelRouter, Protocol } from '../routers/model-router.js';
import { type FileModel, isModelId } from './models-file.js';
import { adoptedPrices, completePrices, withMarkup } from './token-prices.js';

/** A model to store, with what callers pay. Without prices, those that it has stay. */
export interface Listing {
  readonly model: StoredModel;
  readonly prices: TokenPrices | undefined;
}

export interface Known {
  /** In the order in which they serve a model that several list. */
  readonly routers: readonly Pick<ModelRouter, 'id' | 'traits'>[];
  /** What the routers list now. A router that was not asked or did not answer is absent, and keeps what it has. */
  readonly lists: ReadonlyMap<string, readonly ListedModel[]>;
  readonly stored: readonly ModelRow[];
  readonly fileModels: readonly FileModel[];
  readonly offersOnlyListed: boolean;
  readonly markupPercent: number;
}

export interface Changes {
  readonly put: readonly Listing[];
  /** IDs of models that are offered no longer. */
  readonly unlisted: readonly string[];
}

/** Determines the models that the service knows after a synchronization. */
export function changesOf(known: Known): Changes {
  const rows = new Map(known.stored.map((row) => [row.id, row]));
  const put = new Map<string, Listing>();
  const kept = new Set<string>();
  for (const file of known.fileModels) {
    const listing = listingOfFile(file, rows.get(file.id), known);
    if (listing !== undefined) put.set(file.id, listing);
  }
  for (const router of known.offersOnlyListed ? [] : known.routers) {
    const isFree = (id: string): boolean => !put.has(id) && !kept.has(id);
    const list = known.lists.get(router.id);
    if (list === undefined) {
      for (const row of known.stored) if (row.router === router.id && row.isListed && isFree(row.id)) kept.add(row.id);
      continue;
    }
    for (const listed of list) {
      if (!isModelId(listed.id) || !isFree(listed.id)) continue;
      put.set(listed.id, listingOf({ id: listed.id, router, listed, row: rows.get(listed.id) }, known));
    }
  }
  const gone = known.stored.filter(({ id, isListed }) => isListed && !put.has(id) && !kept.has(id));
  return { put: [...put.values()], unlisted: gone.map(({ id }) => id) };
}

interface Found {
  readonly id: string;
  readonly router: Pick<ModelRouter, 'id' | 'traits'>;
  readonly listed: ListedModel;
  readonly row: ModelRow | undefined;
  readonly file?: FileModel;
}

function listingOf({ id, router, listed, row, file }: Found, { markupPercent }: Known): Listing {
  const protocols = (file?.protocols ?? listed.protocols).filter((each) => router.traits.protocols.includes(each));
  const upstreamId = file?.upstreamId ?? listed.id;
  const isSame = row?.router === router.id && row.upstreamId === upstreamId;
  const own = pricesOfFile(file, protocols);
  // With a price of the operator's, what the router charges is adopted as it is: it changes nothing for callers.
  const earlier = isSame && own === undefined ? row.upstreamPrices : null;
  const { prices, refusal } = adoptedPrices(listed.pricesNano, earlier, protocols);
  return {
    model: {
      id,
      router: router.id,
      upstreamId,
      name: file?.name ?? listed.name,
      contextTokens: file?.contextTokens ?? listed.contextTokens,
      maxOutputTokens: file?.maxOutputTokens ?? listed.maxOutputTokens,
      inputModalities: listed.inputModalities,
      outputModalities: listed.outputModalities,
      protocols,
      upstreamPrices: prices,
      refusedPrices: refusal,
      expiresAt: listed.expiresAt,
    },
    prices: own ?? (prices === null || refusal !== null ? undefined : withMarkup(prices, markupPercent)),
  };
}

/** A model of the file is offered without a list, too, if the file has its price. */
function listingOfFile(file: FileModel, row: ModelRow | undefined, known: Known): Listing | undefined {
  const router = known.routers.find(({ id }) => id === file.router);
  if (router === undefined) return undefined;
  const list = known.lists.get(file.router);
  const listed = list?.find(({ id }) => id === file.upstreamId);
  if (listed !== undefined) return listingOf({ id: file.id, router, listed, row, file }, known);
  const isStored = row?.router === file.router && row.upstreamId === file.upstreamId;
  if (list === undefined && isStored && row.isListed)
    return { model: { ...row, ...namedBy(file) }, prices: pricesOfFile(file, row.protocols) };
  if (file.pricesNano === undefined) return undefined;
  const unlisted: ListedModel = {
    id: file.upstreamId,
    name: file.id,
    contextTokens: null,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    protocols: router.traits.protocols,
    pricesNano: null,
    expiresAt: null,
  };
  return listingOf({ id: file.id, router, listed: unlisted, row: undefined, file }, known);
}

const namedBy = ({ name, contextTokens, maxOutputTokens }: FileModel): Partial<StoredModel> => ({
  ...(name === undefined ? {} : { name }),
  ...(contextTokens === undefined ? {} : { contextTokens }),
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
});

const pricesOfFile = (file: FileModel | undefined, protocols: readonly Protocol[]): TokenPrices | undefined =>
  file?.pricesNano && completePrices(file.pricesNano, protocols);
