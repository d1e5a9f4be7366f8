import { Injectable } from '@nestjs/common';
import { SecretHasher } from './secret-hasher.js';
import { TOKEN_KINDS, type TokenKind, tokenKindOf } from './token-format.js';

/** How many tokens are looked up with one query. */
const BATCH = 500;

/** Where a token was found in public. */
export interface LeakPlace {
  readonly url: string | undefined;
  /** What was scanned, such as `commit` or `npm`. */
  readonly source: string;
}

/** `ended`: the token worked until now. `ended_before`: it was one of this service. `unknown`: it never was. */
export type LeakOutcome = 'ended' | 'ended_before' | 'unknown';

interface LeakResult {
  /** Undefined for text that is no token of this service. */
  readonly kind: TokenKind | undefined;
  readonly outcome: LeakOutcome;
}

/** Ends leaked tokens of the kinds that a module issues. It gets hashes, so that no token reaches a log. */
export interface LeakHandler {
  /** Returns those of the hashes that belong to tokens of the module, ended ones included. */
  findKnown(hashes: readonly Buffer[]): Promise<readonly Buffer[]>;

  /** Ends a known token for all processes. Returns false, and does nothing, when it worked no longer. */
  end(hash: Buffer, place: LeakPlace): Promise<boolean>;
}

/** The module that issues a kind of tokens registers a handler that ends those which were found in public. */
@Injectable()
export class LeakedTokens {
  private readonly handlers = new Map<TokenKind, LeakHandler>();

  constructor(private readonly hasher: SecretHasher) {}

  /** @throws {Error} when the kind has a handler already. */
  register(kind: TokenKind, handler: LeakHandler): void {
    if (this.handlers.has(kind)) throw new Error(`Two handlers are registered for leaked tokens of the kind ${kind}.`);
    this.handlers.set(kind, handler);
  }

  /** @throws {Error} when a kind has no handler: a module is missing in this process. */
  requireComplete(): void {
    for (const kind of TOKEN_KINDS) this.handlerOf(kind);
  }

  /** Ends those of the tokens that work, and returns what became of each. Ending them again changes nothing. */
  async end(places: ReadonlyMap<string, LeakPlace>): Promise<ReadonlyMap<string, LeakResult>> {
    const results = new Map<string, LeakResult>();
    for (const [kind, tokens] of Map.groupBy(places.keys(), tokenKindOf)) {
      for (const token of tokens) results.set(token, { kind, outcome: 'unknown' });
      if (kind === undefined) continue;
      for (let from = 0; from < tokens.length; from += BATCH) {
        const ended = await this.endKnown(this.handlerOf(kind), tokens.slice(from, from + BATCH), places);
        for (const [token, outcome] of ended) results.set(token, { kind, outcome });
      }
    }
    return results;
  }

  private async endKnown(
    handler: LeakHandler,
    tokens: readonly string[],
    places: ReadonlyMap<string, LeakPlace>,
  ): Promise<ReadonlyMap<string, LeakOutcome>> {
    const tokenOf = new Map(
      tokens.flatMap((token) => this.hasher.hashes(token).map((hash) => [hash.toString('base64'), token] as const)),
    );
    const known = await handler.findKnown([...tokenOf.keys()].map((hash) => Buffer.from(hash, 'base64')));
    const outcomes = new Map<string, LeakOutcome>();
    for (const hash of known) {
      const token = tokenOf.get(hash.toString('base64'))!;
      outcomes.set(token, (await handler.end(hash, places.get(token)!)) ? 'ended' : 'ended_before');
    }
    return outcomes;
  }

  private handlerOf(kind: TokenKind): LeakHandler {
    const handler = this.handlers.get(kind);
    if (handler === undefined) throw new Error(`No handler is registered for leaked tokens of the kind ${kind}.`);
    return handler;
  }
}
