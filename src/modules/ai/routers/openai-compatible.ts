import { isIP } from 'node:net';
import { isPublicAddress } from '../../../platform/egress/public-address.js';
import {
  type ListedModel,
  ModelRouter,
  type Protocol,
  PROTOCOLS,
  type RouterRequest,
  type RouterResponse,
  type RouterTraits,
  type UpstreamUsage,
} from './model-router.js';
import { RouterConnection, type RouterTimeLimits } from './router-connection.js';
import { countOf, type Fields, fieldsOf, modelsIn, textOf } from './upstream-json.js';

export interface OpenAiCompatibleSettings {
  readonly id: string;
  readonly url: string;
  readonly apiKey: string | undefined;
  /** True when tokens cost nothing. The default is true for a server with a private address. */
  readonly free?: boolean | undefined;
  readonly hangUpStopsBilling?: boolean | undefined;
  readonly limits?: RouterTimeLimits;
}

/** Where each protocol is, below the address of the router. */
export const PATHS: Readonly<Record<Protocol, string>> = {
  chat_completions: '/chat/completions',
  embeddings: '/embeddings',
  responses: '/responses',
  messages: '/messages',
};

/** Any server with the API of OpenAI: Ollama, llama-server, vLLM, LiteLLM. */
export class OpenAiCompatibleRouter extends ModelRouter {
  readonly id: string;
  readonly traits: RouterTraits;
  private readonly connection: RouterConnection;
  private readonly isFree: boolean;

  constructor(settings: OpenAiCompatibleSettings) {
    super();
    this.id = settings.id;
    this.traits = {
      protocols: PROTOCOLS,
      hangUpStopsBilling: settings.hangUpStopsBilling ?? true,
      keepsUsage: false,
    };
    this.isFree = settings.free ?? isPrivateHost(new URL(settings.url).hostname);
    this.connection = new RouterConnection({ ...settings, authorize: (key) => ({ authorization: `Bearer ${key}` }) });
  }

  async models(signal: AbortSignal): Promise<ListedModel[]> {
    return modelsIn(await this.connection.get('/models', signal)).map((model) => this.listed(model));
  }

  send({ protocol, body, apiKey }: RouterRequest, signal: AbortSignal): Promise<RouterResponse> {
    return this.connection.post(PATHS[protocol], { body, apiKey }, signal);
  }

  usageOf(): Promise<UpstreamUsage | undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Servers add fields of their own: vLLM the length, llama-server what the model was trained for. */
  private listed(model: Fields): ListedModel {
    const id = model['id'] as string;
    return {
      id,
      name: textOf(model['name']) ?? id,
      contextTokens:
        countOf(model['max_model_len']) ??
        countOf(model['context_length']) ??
        countOf(fieldsOf(model['meta'])['n_ctx_train']) ??
        null,
      maxOutputTokens: null,
      inputModalities: ['text'],
      outputModalities: ['text'],
      protocols: PROTOCOLS,
      pricesNano: this.isFree ? { input: 0n, output: 0n } : null,
      expiresAt: null,
    };
  }
}

/** True for this machine and its network: addresses that are not public, and names that the internet does not know. */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) !== 0) return !isPublicAddress(name);
  return !name.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(name);
}
