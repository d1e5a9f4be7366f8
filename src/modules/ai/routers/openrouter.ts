import type { TokenKind } from '../../metering/meter.js';
import {
  type ListedModel,
  ModelRouter,
  type Protocol,
  type RouterRequest,
  type RouterResponse,
  type RouterTraits,
  type UpstreamUsage,
} from './model-router.js';
import { PATHS } from './openai-compatible.js';
import { RouterConnection, type RouterTimeLimits } from './router-connection.js';
import { countOf, type Fields, fieldsOf, listOf, modelsIn, nanoOf, textOf, textsOf } from './upstream-json.js';

export interface OpenRouterSettings {
  readonly id: string;
  readonly url: string;
  readonly apiKey: string;
  readonly limits?: RouterTimeLimits;
}

/** How OpenRouter names the prices of a token. Reasoning counts as output. */
const PRICE_FIELDS: Readonly<Record<TokenKind, readonly string[]>> = {
  input: ['prompt'],
  output: ['completion', 'internal_reasoning'],
  cache_read: ['input_cache_read'],
  cache_write: ['input_cache_write'],
};

const TOKENS = 1_000_000n;

/** OpenRouter, which sells the models of many providers and lists their prices. */
export class OpenRouter extends ModelRouter {
  readonly id: string;
  readonly traits: RouterTraits = {
    protocols: ['chat_completions', 'embeddings', 'responses', 'messages'],
    // Not every provider stops billing. That does no harm, because OpenRouter tells later what it has billed.
    hangUpStopsBilling: true,
    keepsUsage: true,
  };
  private readonly connection: RouterConnection;

  constructor(settings: OpenRouterSettings) {
    super();
    this.id = settings.id;
    this.connection = new RouterConnection({ ...settings, authorize: (key) => ({ authorization: `Bearer ${key}` }) });
  }

  /** Models of embeddings have a list of their own, which an older OpenRouter does not have. */
  async models(signal: AbortSignal): Promise<ListedModel[]> {
    const models = modelsIn(await this.connection.get('/models', signal)).map(listedModel);
    const embeddings = await this.connection.get('/embeddings/models', signal);
    if (embeddings !== undefined) models.push(...modelsIn(embeddings).map(listedModel));
    return [...new Map(models.map((model) => [model.id, model])).values()];
  }

  send({ protocol, body, apiKey }: RouterRequest, signal: AbortSignal): Promise<RouterResponse> {
    return this.connection.post(PATHS[protocol], { body, apiKey }, signal);
  }

  async usageOf(generationId: string, signal: AbortSignal, apiKey?: string): Promise<UpstreamUsage | undefined> {
    const answer = await this.connection.get(`/generation?id=${encodeURIComponent(generationId)}`, signal, apiKey);
    if (answer === undefined) return undefined;
    const data = fieldsOf(fieldsOf(answer)['data']);
    // The native counts are what the provider bills. The others are of one tokenizer for all models.
    const prompt = countOf(data['native_tokens_prompt']);
    if (prompt === undefined) return undefined;
    const cached = Math.min(prompt, countOf(data['native_tokens_cached']) ?? 0);
    return {
      tokens: {
        input: prompt - cached,
        output: countOf(data['native_tokens_completion']) ?? 0,
        ...(cached === 0 ? {} : { cache_read: cached }),
      },
      costNano: nanoOf(data['total_cost']) ?? null,
      model: textOf(data['model']) ?? null,
    };
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

function listedModel(model: Fields): ListedModel {
  const id = model['id'] as string;
  const architecture = fieldsOf(model['architecture']);
  const outputModalities = textsOf(architecture['output_modalities']);
  return {
    id,
    name: textOf(model['name']) ?? id,
    contextTokens: countOf(model['context_length']) ?? null,
    maxOutputTokens: countOf(fieldsOf(model['top_provider'])['max_completion_tokens']) ?? null,
    inputModalities: textsOf(architecture['input_modalities']),
    outputModalities,
    protocols: protocolsOf(outputModalities),
    pricesNano: pricesOf(model['pricing']),
    expiresAt: dateOf(model['expiration_date']),
  };
}

const protocolsOf = (outputModalities: readonly string[]): readonly Protocol[] =>
  outputModalities.includes('embeddings') ? ['embeddings'] : ['chat_completions', 'responses', 'messages'];

/**
 * Reads prices of a token in dollars. A negative one means that the price is known only afterwards. A price for each
 * request cannot be expressed in tokens, and so counts as unknown, too.
 */
function pricesOf(pricing: unknown): ListedModel['pricesNano'] {
  const base = fieldsOf(pricing);
  // Prices for longer prompts are lists of objects with the same fields.
  const tiers = [base, ...Object.values(base).flatMap(listOf).map(fieldsOf)];
  const prices: Partial<Record<TokenKind, bigint>> = {};
  for (const [kind, fields] of Object.entries(PRICE_FIELDS) as [TokenKind, readonly string[]][]) {
    for (const text of tiers.flatMap((tier) => fields.map((field) => tier[field]))) {
      if (text === undefined || text === null) continue;
      const nano = nanoOf(text, TOKENS);
      if (nano === undefined || nano < 0n) return 'dynamic';
      if (nano > (prices[kind] ?? -1n)) prices[kind] = nano;
    }
  }
  if (tiers.some(({ request }) => request !== undefined && nanoOf(request) !== 0n)) return 'dynamic';
  return prices.input === undefined ? null : prices;
}

/** An expiration is a day, or a time in seconds or as text. */
function dateOf(value: unknown): Date | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const date = new Date(typeof value === 'number' ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? null : date;
}
