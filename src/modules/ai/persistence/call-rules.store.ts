import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { GatheringWriter } from '../../../platform/database/gathering-writer.js';
import { prepared } from '../../../platform/database/prepared.js';
import { DEFAULT_POLICY, type ModelPolicy } from '../domain/model-policy.js';
import { policyOf, type PolicyRow } from './ai-policies.store.js';

/** What an organization has set for its calls. */
export interface StoredRules {
  readonly policy: ModelPolicy;
  /** The sealed key of each router that has one. */
  readonly sealedKeys: ReadonlyMap<string, Buffer>;
}

const MAX_BATCH = 200;

const READ = prepared(`
  SELECT asked.id, p.allowed_models, p.denied_models, p.zero_retention_only, p.blocks_secrets, p.retention_days,
    (SELECT json_object_agg(router, encode(sealed, 'base64')) FROM provider_keys k WHERE k.org_id = asked.id) AS keys
  FROM unnest($1::text[]) AS asked (id) LEFT JOIN ai_policies p ON p.org_id = asked.id`);

/** Reads what every call needs, so that a change holds from the next call on. Calls at the same time share a query. */
@Injectable()
export class CallRulesStore {
  private readonly reads: GatheringWriter<{ readonly orgId: string }, StoredRules>;

  constructor(private readonly database: Database) {
    this.reads = new GatheringWriter({
      keyOf: ({ orgId }) => orgId,
      lanes: 1,
      writersOfLane: 2,
      maxBatch: MAX_BATCH,
      write: async (asked) => {
        const rules = await this.read([...new Set(asked.map(({ orgId }) => orgId))]);
        return asked.map(({ orgId }) => ({ answer: rules.get(orgId)! }));
      },
    });
  }

  of(orgId: string): Promise<StoredRules> {
    return this.reads.write({ orgId });
  }

  private async read(orgIds: readonly string[]): Promise<ReadonlyMap<string, StoredRules>> {
    const rows = await this.database.manager.query<Row[]>(READ, [orgIds]);
    return new Map(rows.map((row) => [row.id, rulesOf(row)]));
  }
}

type Row = (PolicyRow | Record<keyof PolicyRow, null>) & {
  readonly id: string;
  readonly keys: Readonly<Record<string, string>> | null;
};

const rulesOf = (row: Row): StoredRules => ({
  policy: isSet(row) ? policyOf(row) : DEFAULT_POLICY,
  sealedKeys: new Map(Object.entries(row.keys ?? {}).map(([router, text]) => [router, Buffer.from(text, 'base64')])),
});

const isSet = (row: PolicyRow | Record<keyof PolicyRow, null>): row is PolicyRow => row.denied_models !== null;
