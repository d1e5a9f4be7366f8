import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { DeployState } from '../domain/deploy-state.js';

/**
 * `state` is a change of state. `handed_back` is an attempt that ended without a result, after which the deploy is
 * queued again. `live` means that production or the host of the branch was pointed to the deploy.
 */
export const DEPLOY_EVENT_KINDS = ['state', 'handed_back', 'live'] as const;
export type DeployEventKind = (typeof DEPLOY_EVENT_KINDS)[number];

/** An event in the history of a deploy, written in the transaction of the change that it records. */
@Entity('deploy_events')
export class DeployEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: string;
  @Column('text', { name: 'deploy_id' }) deployId!: string;
  @Column('timestamptz') at!: Date;
  @Column('int') attempt!: number;
  @Column('text') kind!: DeployEventKind;
  @Column('text', { name: 'from_state', nullable: true }) from!: DeployState | null;
  @Column('text', { name: 'to_state', nullable: true }) to!: DeployState | null;
  @Column('jsonb') details!: Readonly<Record<string, unknown>>;
}
