import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { DeployState } from '../domain/deploy-state.js';

/**
 * `state`: it went from one state to another. `handed_back`: an attempt ended without a result, and it waits anew.
 * `live`: production, or the host of its branch, was pointed to it.
 */
export const DEPLOY_EVENT_KINDS = ['state', 'handed_back', 'live'] as const;
export type DeployEventKind = (typeof DEPLOY_EVENT_KINDS)[number];

/** What happened to a deploy, written with the transaction in which it did. */
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
