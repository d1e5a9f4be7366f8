import { errorFrom, membersOf, parsed } from './errors.js';
import { methodsOf } from './methods.js';
import type { Listing } from './page.js';
import type { OpenedStream, RequestOptions, Transport } from './transport.js';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  Embeddings,
  EmbeddingsRequest,
  Generation,
  GenerationContent,
  GenerationsQuery,
  Model,
  ModelPolicy,
  ModelProvider,
  NewModelPolicy,
  PricedCall,
  ProviderKey,
} from './types.js';

/** A whole answer may take 15 minutes, so that the time limit of other calls is too short. */
const TIMEOUT_MS = 900_000;
const MODELS = '/api/v1/ai/models';

/** What a call of a model accepts. Its `timeoutMs` is 900000 by default, and limits a stream only up to its start. */
export type ModelCallOptions = Omit<RequestOptions, 'dryRun'>;

/** Calls of models, in the shapes of OpenAI. They need the scope `ai:invoke`. */
export interface Ai {
  readonly chat: { readonly completions: ChatCompletions };
  readonly embeddings: EmbeddingsCalls;
  readonly generations: Generations;
  readonly models: Models;
  readonly policy: Policy;
  readonly providers: Providers;
}

export const aiOf = (transport: Transport): Ai => ({
  chat: { completions: new ChatCompletions(transport) },
  embeddings: {
    async create(request, options) {
      const { body, headers } = await transport.raw<Embeddings>(callOf('embeddings', request), withTimeout(options));
      return { ...body, generation_id: generationIn(headers) };
    },
  },
  generations: methodsOf<Generations>(transport, {
    list: 'list ai/generations',
    retrieve: 'get ai/generations/:',
    content: 'get ai/generations/:/content',
  }),
  models: {
    async list(options) {
      return (await transport.raw<{ readonly data: readonly Model[] }>({ method: 'GET', path: MODELS }, options)).body
        .data;
    },
    async retrieve(modelId, options) {
      const path = `${MODELS}/${modelId.split('/').map(encodeURIComponent).join('/')}`;
      return (await transport.raw<Model>({ method: 'GET', path }, options)).body;
    },
  },
  policy: methodsOf<Policy>(transport, { get: 'get ai/policy', set: 'put ai/policy', reset: 'delete ai/policy' }),
  providers: methodsOf<Providers>(transport, {
    list: 'get ai/providers',
    setKey: 'put ai/providers/:/key api_key',
    removeKey: 'delete ai/providers/:/key',
  }),
});

export class ChatCompletions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lets a model answer a conversation. With `stream: true` it resolves to the stream as soon as the model begins;
   * otherwise, to the whole answer. The price of the longest answer is held meanwhile: a smaller `max_tokens` holds
   * less.
   *
   * @throws {ValidationError} `invalid_request`: `details` names the field, or the message is that of the model.
   * @throws {InsufficientCreditsError} `credits_exhausted`, `spend_cap_reached` or `budget_exceeded`.
   * @throws {NotFoundError} `model_not_found`.
   * @throws {RateLimitError} `token_rate_limit_exceeded` or `concurrency_limit_exceeded`.
   * @throws {ServiceError} `model_unavailable`, or `model_router_not_configured`, which is not retried.
   */
  create(
    request: ChatCompletionRequest & { readonly stream: true },
    options?: ModelCallOptions,
  ): Promise<ChatCompletionStream>;
  create(
    request: ChatCompletionRequest & { readonly stream?: false | null },
    options?: ModelCallOptions,
  ): Promise<ChatCompletion>;
  async create(
    request: ChatCompletionRequest,
    options?: ModelCallOptions,
  ): Promise<ChatCompletion | ChatCompletionStream> {
    const call = callOf('chat/completions', request);
    if (request.stream === true)
      return new ChatCompletionStream(await this.#transport.open(call, withTimeout(options)), this.#transport);
    const { body, headers } = await this.#transport.raw<ChatCompletion>(call, withTimeout(options));
    return { ...body, generation_id: generationIn(headers) };
  }

  /** Returns the most that a call would cost, and calls nothing. It throws what {@link create} would. */
  price(request: ChatCompletionRequest, options?: ModelCallOptions): Promise<PricedCall> {
    return this.#transport.post(
      '/api/v1/ai/chat/completions',
      { ...request, stream: false },
      { ...options, dryRun: true },
    );
  }
}

export interface EmbeddingsCalls {
  /**
   * Returns a vector for each text, in their order. It throws what `chat.completions.create` throws.
   */
  create(request: EmbeddingsRequest, options?: ModelCallOptions): Promise<Embeddings>;
}

export interface Models {
  /** Lists the models that calls can use, with their prices. It is empty when no model router is configured. */
  list(options?: RequestOptions): Promise<readonly Model[]>;

  /**
   * Returns a model by its ID or an alias.
   *
   * @throws {NotFoundError} `model_not_found`.
   */
  retrieve(modelId: string, options?: RequestOptions): Promise<Model>;
}

export interface Generations {
  /** Lists what models did for the organization in the last 90 days, newest first. They have no text. */
  list(query?: GenerationsQuery, options?: RequestOptions): Listing<Generation>;

  /**
   * Returns what a generation used and cost. It exists once the generation has ended.
   *
   * @throws {NotFoundError} `generation_not_found`.
   */
  retrieve(generationId: string, options?: RequestOptions): Promise<Generation>;

  /**
   * Returns the request and the answer, if the organization keeps texts.
   *
   * @throws {NotFoundError} `generation_not_found`, `generation_content_not_found`.
   */
  content(generationId: string, options?: RequestOptions): Promise<GenerationContent>;
}

/** Providers of models, and the keys that an organization has for them. */
export interface Providers {
  list(options?: RequestOptions): Promise<readonly ModelProvider[]>;

  /**
   * Sets a key of your own account: from the next call on, models of the provider are paid there.
   *
   * @throws {NotFoundError} `provider_not_found`.
   */
  setKey(providerId: string, apiKey: string, options?: RequestOptions): Promise<ProviderKey>;

  /** @throws {NotFoundError} `provider_not_found`, `provider_key_not_found`. */
  removeKey(providerId: string, options?: RequestOptions): Promise<void>;
}

/** What an organization allows its own calls of models. */
export interface Policy {
  get(options?: RequestOptions): Promise<ModelPolicy>;

  /** Replaces the policy. Absent fields get their defaults. */
  set(policy: NewModelPolicy, options?: RequestOptions): Promise<ModelPolicy>;

  /** Returns to the default policy, and deletes all kept texts. */
  reset(options?: RequestOptions): Promise<void>;
}

/**
 * The chunks of an answer as they arrive. Iterate once. Leaving the loop, or {@link cancel}, closes the connection:
 * what was generated until then is charged.
 */
export class ChatCompletionStream implements AsyncIterable<ChatCompletionChunk> {
  /** The ID of the generation, whose price is known when it has ended. */
  readonly generationId: string;
  readonly #opened: OpenedStream;
  readonly #transport: Transport;
  #isCancelled = false;

  /** `chat.completions.create` creates it; you need not. */
  constructor(opened: OpenedStream, transport: Transport) {
    this.#opened = opened;
    this.#transport = transport;
    this.generationId = generationIn(opened.headers);
  }

  /** Closes the connection. A loop that runs ends. */
  cancel(): Promise<void> {
    this.#isCancelled = true;
    return this.#opened.close();
  }

  /**
   * @throws {ServiceError} `upstream_error`: the model broke off. What was generated is charged.
   * @throws {TypeError} when the connection broke.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ChatCompletionChunk, void, undefined> {
    let isComplete = false;
    for await (const line of this.#opened.lines()) {
      // A line that does not begin so is a comment, which keeps the connection open, or the empty end of an event.
      if (!line.startsWith('data:')) continue;
      const text = line.slice(5).trim();
      if (text === '[DONE]') return;
      const body = membersOf(parsed(text));
      if (body['error'] !== undefined) throw this.#errorIn(text, membersOf(body['error'])['status']);
      // Some servers send the usage without the list.
      const chunk = { choices: [], ...body } as unknown as ChatCompletionChunk;
      isComplete ||= chunk.choices.some(({ finish_reason: reason }) => reason != null);
      yield chunk;
    }
    if (!isComplete && !this.#isCancelled) throw new TypeError('terminated');
  }

  #errorIn(text: string, status: unknown): Error {
    const { headers } = this.#opened;
    const answer = { status: typeof status === 'number' ? status : 502, headers, text };
    return errorFrom(answer, undefined, this.#transport.pricingUrl);
  }
}

const callOf = (path: string, body: object): { method: 'POST'; path: string; body: object; isStream: boolean } => ({
  method: 'POST',
  path: `/api/v1/ai/${path}`,
  body,
  isStream: 'stream' in body && body.stream === true,
});

const withTimeout = (options: ModelCallOptions = {}): ModelCallOptions => ({ timeoutMs: TIMEOUT_MS, ...options });

const generationIn = (headers: Headers): string => headers.get('x-service-generation') ?? '';
