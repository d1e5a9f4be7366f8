import {
  type ListedModel,
  ModelRouter,
  type RouterRequest,
  type RouterResponse,
  type RouterTraits,
  type UpstreamUsage,
} from './model-router.js';
import { RouterConnection, type RouterTimeLimits } from './router-connection.js';
import { modelsIn, textOf } from './upstream-json.js';

export interface AnthropicSettings {
  readonly id: string;
  readonly url: string;
  readonly apiKey: string;
  readonly limits?: RouterTimeLimits;
}

const API_VERSION = '2023-06-01';

/** Anthropic's own API. It lists no prices, so that only models with a price in MODELS_FILE are offered. */
export class AnthropicRouter extends ModelRouter {
  readonly id: string;
  readonly traits: RouterTraits = { protocols: ['messages'], hangUpStopsBilling: true, keepsUsage: false };
  private readonly connection: RouterConnection;

  constructor(settings: AnthropicSettings) {
    super();
    this.id = settings.id;
    this.connection = new RouterConnection({
      ...settings,
      authorize: (key) => ({ 'x-api-key': key }),
      headers: { 'anthropic-version': API_VERSION },
    });
  }

  async models(signal: AbortSignal): Promise<ListedModel[]> {
    return modelsIn(await this.connection.get('/models?limit=1000', signal)).map((model) => ({
      id: model['id'] as string,
      name: textOf(model['display_name']) ?? (model['id'] as string),
      contextTokens: null,
      maxOutputTokens: null,
      inputModalities: ['text', 'image'],
      outputModalities: ['text'],
      protocols: this.traits.protocols,
      pricesNano: null,
      expiresAt: null,
    }));
  }

  send({ body, apiKey }: RouterRequest, signal: AbortSignal): Promise<RouterResponse> {
    return this.connection.post('/messages', { body, apiKey }, signal);
  }

  usageOf(): Promise<UpstreamUsage | undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
