import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { DEFAULT_POLICY, type ModelPolicy } from '../domain/model-policy.js';
import { policyOf, type PolicyRow } from './ai-policies.store.js';

/** What an organization has set for its calls. */
export interface StoredRules {
  readonly policy: ModelPolicy;
  /** The sealed key of each router that has one. */
  readonly sealedKeys: ReadonlyMap<string, Buffer>;
}

/** Reads in one query what every call needs, so that a change holds from the next call on. */
@Injectable()
export class CallRulesStore {
  constructor(private readonly database: Database) {}

  async of(orgId: string): Promise<StoredRules> {
    const [row] = await this.database.manager.query<
      ((PolicyRow | Record<keyof PolicyRow, null>) & { keys: Record<string, string> | null })[]
    >(
      `
      SELECT p.*,
        (SELECT json_object_agg(router, encode(sealed, 'base64')) FROM provider_keys WHERE org_id = $1) AS keys
      FROM (VALUES (1)) one LEFT JOIN ai_policies p ON p.org_id = $1`,
      [orgId],
    );
    const { keys, ...policy } = row!;
    return {
      policy: isSet(policy) ? policyOf(policy) : DEFAULT_POLICY,
      sealedKeys: new Map(Object.entries(keys ?? {}).map(([router, text]) => [router, Buffer.from(text, 'base64')])),
    };
  }
}

const isSet = (row: PolicyRow | Record<keyof PolicyRow, null>): row is PolicyRow => row.denied_models !== null;
