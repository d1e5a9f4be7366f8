import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { TokenKind } from '../../metering/meter.js';
import type { Protocol } from '../routers/model-router.js';

export type TokenPrices = Readonly<Partial<Record<TokenKind, bigint>>>;

/** Why new prices of a router were not adopted. */
export type PriceRefusal = 'dynamic' | 'free' | 'tripled';

/** A model as the last synchronization has left it. */
export interface StoredModel {
  readonly id: string;
  readonly router: string;
  readonly upstreamId: string;
  readonly name: string;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly protocols: readonly Protocol[];
  /** The router's prices that were adopted last. */
  readonly upstreamPrices: TokenPrices | null;
  readonly refusedPrices: PriceRefusal | null;
  readonly expiresAt: Date | null;
}

export interface ModelRow extends StoredModel {
  /** False once its router lists it no longer. */
  readonly isListed: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface Row {
  readonly id: string;
  readonly router: string;
  readonly upstream_id: string;
  readonly name: string;
  readonly context_tokens: string | null;
  readonly max_output_tokens: string | null;
  readonly input_modalities: string[];
  readonly output_modalities: string[];
  readonly protocols: Protocol[];
  readonly upstream_prices_nano: Readonly<Partial<Record<TokenKind, string>>> | null;
  readonly refused_prices: PriceRefusal | null;
  readonly expires_at: Date | null;
  readonly is_listed: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const FACTS = [
  'router',
  'upstream_id',
  'name',
  'context_tokens',
  'max_output_tokens',
  'input_modalities',
  'output_modalities',
  'protocols',
  'upstream_prices_nano',
  'refused_prices',
  'expires_at',
  'is_listed',
] as const;
const columns = (table: string): string => FACTS.map((fact) => `${table}.${fact}`).join(', ');

@Injectable()
export class ModelsStore {
  constructor(private readonly database: Database) {}

  /** Lets one process at a time synchronize, until the running transaction ends. */
  async lock(): Promise<void> {
    await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtext('models'))");
  }

  async list(): Promise<ModelRow[]> {
    const rows = await this.database.manager.query<Row[]>('SELECT * FROM models ORDER BY id');
    return rows.map(modelOf);
  }

  /** Lists models. The time of change stays when nothing else changes. */
  async put(models: readonly StoredModel[], now: Date): Promise<void> {
    if (models.length === 0) return;
    await this.database.manager.query(
      `
      INSERT INTO models (id, ${FACTS.join(', ')}, created_at, updated_at)
      SELECT given.id, ${columns('given')}, $2, $2 FROM jsonb_to_recordset($1::jsonb) AS given (
        id text, router text, upstream_id text, name text, context_tokens bigint, max_output_tokens bigint,
        input_modalities text[], output_modalities text[], protocols text[], upstream_prices_nano jsonb,
        refused_prices text, expires_at timestamptz, is_listed boolean
      )
      ON CONFLICT (id) DO UPDATE SET (${FACTS.join(', ')}, updated_at) = ROW (${columns('excluded')}, $2)
      WHERE (${columns('models')}) IS DISTINCT FROM (${columns('excluded')})`,
      [JSON.stringify(models.map(recordOf)), now],
    );
  }

  async unlist(ids: readonly string[], now: Date): Promise<void> {
    if (ids.length === 0) return;
    await this.database.manager.query(
      'UPDATE models SET is_listed = false, updated_at = $2 WHERE id = ANY($1) AND is_listed',
      [ids, now],
    );
  }
}

const modelOf = (row: Row): ModelRow => ({
  id: row.id,
  router: row.router,
  upstreamId: row.upstream_id,
  name: row.name,
  contextTokens: numberOf(row.context_tokens),
  maxOutputTokens: numberOf(row.max_output_tokens),
  inputModalities: row.input_modalities,
  outputModalities: row.output_modalities,
  protocols: row.protocols,
  upstreamPrices:
    row.upstream_prices_nano &&
    Object.fromEntries(Object.entries(row.upstream_prices_nano).map(([kind, nano]) => [kind, BigInt(nano)])),
  refusedPrices: row.refused_prices,
  expiresAt: row.expires_at,
  isListed: row.is_listed,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** JSON of PostgreSQL has no integers as large as ours, so prices are texts. */
const recordOf = (model: StoredModel): object => ({
  id: model.id,
  router: model.router,
  upstream_id: model.upstreamId,
  name: model.name,
  context_tokens: model.contextTokens,
  max_output_tokens: model.maxOutputTokens,
  input_modalities: model.inputModalities,
  output_modalities: model.outputModalities,
  protocols: model.protocols,
  upstream_prices_nano:
    model.upstreamPrices &&
    Object.fromEntries(Object.entries(model.upstreamPrices).map(([kind, nano]) => [kind, nano.toString()])),
  refused_prices: model.refusedPrices,
  expires_at: model.expiresAt,
  is_listed: true,
});

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));
