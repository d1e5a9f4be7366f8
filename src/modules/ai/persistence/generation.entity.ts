import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TokenKind } from '../../metering/meter.js';
import type { Protocol } from '../routers/model-router.js';
import type { BilledTo } from '../domain/billed-to.js';
import type { GenerationOutcome, UsageSource } from '../domain/generation-state.js';

/** What a model did for an organization, and what it cost. No text of it is kept. */
@Entity('generations')
export class Generation {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'key_id', nullable: true }) keyId!: string | null;
  @Column('text', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') protocol!: Protocol;
  @Column('text') model!: string;
  @Column('text') router!: string;
  /** The router's own ID. */
  @Column('text', { name: 'upstream_id', nullable: true }) upstreamId!: string | null;
  @Column('boolean') streamed!: boolean;
  @Column('text', { name: 'billed_to', default: 'credits' }) billedTo!: BilledTo;
  @Column('text') outcome!: GenerationOutcome;
  @Column('text', { name: 'finish_reason', nullable: true }) finishReason!: string | null;
  @Column('text', { name: 'usage_source' }) usageSource!: UsageSource;
  /** The driver returns counts of 64 bits as text. */
  @Column('bigint', { name: 'input_tokens' }) inputTokens!: string;
  @Column('bigint', { name: 'output_tokens' }) outputTokens!: string;
  @Column('bigint', { name: 'cache_read_tokens' }) cacheReadTokens!: string;
  @Column('bigint', { name: 'cache_write_tokens' }) cacheWriteTokens!: string;
  @Column('bigint', { name: 'cost_nano' }) costNano!: string;
  @Column('double precision', { name: 'first_byte_ms', nullable: true }) firstByteMs!: number | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'finished_at' }) finishedAt!: Date;
}

/** A generation that runs. If its process is lost, this is what settles it. */
@Entity('generation_starts')
export class GenerationStart {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'key_id', nullable: true }) keyId!: string | null;
  @Column('text', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') protocol!: Protocol;
  @Column('text') model!: string;
  /** The kinds of tokens that have a price of their own. All others count as input. */
  @Column('text', { name: 'priced_kinds', array: true }) pricedKinds!: TokenKind[];
  @Column('text') router!: string;
  @Column('text', { name: 'upstream_id', nullable: true }) upstreamId!: string | null;
  @Column('boolean') streamed!: boolean;
  @Column('text', { name: 'billed_to', default: 'credits' }) billedTo!: BilledTo;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'gives_up_at' }) givesUpAt!: Date;
}
