import type { Readable } from 'node:stream';
import type { TokenKind } from '../../metering/meter.js';
import type { TokenUsage } from '../domain/token-usage.js';

export const PROTOCOLS = ['chat_completions', 'embeddings', 'responses', 'messages'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A model as the router lists it. */
export interface ListedModel {
  /** What the router calls it. */
  readonly id: string;
  readonly name: string;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly protocols: readonly Protocol[];
  /**
   * What the router charges, in nano-dollars for 1,000,000 tokens. With several lengths of a prompt, it is the dearest.
   * `dynamic` means that the price is known only afterwards, and null that the router names none.
   */
  readonly pricesNano: Readonly<Partial<Record<TokenKind, bigint>>> | 'dynamic' | null;
  readonly expiresAt: Date | null;
}

export interface RouterRequest {
  readonly protocol: Protocol;
  /** What the router calls the model. */
  readonly model: string;
  /** The request as the caller sent it, with the fields that we set. It is sent as it is. */
  readonly body: Buffer;
  /** A provider key of the organization, in place of ours. */
  readonly apiKey?: string;
}

/** The head of a response, and its bytes as they arrive. Aborting the signal of the request destroys the body. */
export interface RouterResponse {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfterSeconds: number | undefined;
  /** The router's own ID of the generation, if it is known before the body. */
  readonly generationId: string | undefined;
  readonly body: Readable;
}

/** What the router has counted and charged for one generation. */
export interface UpstreamUsage {
  readonly tokens: TokenUsage;
  /** What the router charges us, in nano-dollars; null when it names no cost. */
  readonly costNano: bigint | null;
  /** What the router calls the model that answered. */
  readonly model: string | null;
}

export interface RouterTraits {
  readonly protocols: readonly Protocol[];
  /** True when closing the connection ends the generation, and so what is billed. */
  readonly hangUpStopsBilling: boolean;
  /** True when {@link ModelRouter.usageOf} can report a generation later. */
  readonly keepsUsage: boolean;
}

/** A service that runs models, behind one API. Bytes pass through it; nothing is translated. */
export abstract class ModelRouter {
  /** Names the router in settings, rows and metrics. */
  abstract readonly id: string;
  abstract readonly traits: RouterTraits;

  /** @throws {Error} when the list cannot be read. */
  abstract models(signal: AbortSignal): Promise<ListedModel[]>;

  /**
   * Sends a request and resolves with the head of the response, whatever its status.
   *
   * @throws {Error} when there is no response; whether it was sent is then unknown.
   */
  abstract send(request: RouterRequest, signal: AbortSignal): Promise<RouterResponse>;

  /**
   * Returns what a generation has used, or undefined while the router does not know it (yet).
   *
   * @param apiKey the provider key of the organization, if the request was sent with one.
   */
  abstract usageOf(generationId: string, signal: AbortSignal, apiKey?: string): Promise<UpstreamUsage | undefined>;

  /** Closes all connections, when the process stops. */
  abstract close(): Promise<void>;
}
