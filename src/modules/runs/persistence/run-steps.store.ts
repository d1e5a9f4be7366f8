import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { RunStep, StepKind } from '../domain/run.js';
import { stepOf, type StepRow } from './run-rows.js';

/** What is written when a model has answered. */
export interface StepAnswer {
  readonly model: string | null;
  readonly text: string;
  readonly generationId: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costNano: bigint | null;
}

@Injectable()
export class RunStepsStore {
  constructor(private readonly database: Database) {}

  /** Begins a step, or asks again in one that has no answer. Returns how often the model is asked in it. */
  async begin(runId: string, seq: number, kind: StepKind): Promise<number> {
    const [row] = await this.query<{ asks: number }>(
      `
      INSERT INTO run_steps (run_id, seq, kind, state, asks, created_at)
      VALUES ($1, $2, $3, 'asking', 1, clock_timestamp())
      ON CONFLICT (run_id, seq) DO UPDATE SET asks = run_steps.asks + 1, kind = excluded.kind
      RETURNING asks`,
      [runId, seq, kind],
    );
    return row!.asks;
  }

  /** Takes back that the model was asked, because it was not reached. */
  async notAsked(runId: string, seq: number): Promise<void> {
    await this.query(
      "UPDATE run_steps SET asks = asks - 1 WHERE run_id = $1 AND seq = $2 AND state = 'asking' AND asks > 0",
      [runId, seq],
    );
  }

  async answered(runId: string, seq: number, answer: StepAnswer): Promise<void> {
    await this.query(
      `
      UPDATE run_steps SET state = 'answered', model = $3, text = $4, generation_id = $5, input_tokens = $6,
        output_tokens = $7, cost_nano = $8, ended_at = clock_timestamp()
      WHERE run_id = $1 AND seq = $2`,
      [
        runId,
        seq,
        answer.model,
        answer.text,
        answer.generationId,
        answer.inputTokens,
        answer.outputTokens,
        answer.costNano,
      ],
    );
  }

  /** In their order, those after `after`. */
  async list(runId: string, { after = 0, limit = 100_000 } = {}): Promise<RunStep[]> {
    const rows = await this.query<StepRow>(
      'SELECT * FROM run_steps WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [runId, after, limit],
    );
    return rows.map(stepOf);
  }

  /** Returns the last summary and the steps after it; all steps, if there is no summary. */
  async sinceSummary(runId: string): Promise<RunStep[]> {
    const rows = await this.query<StepRow>(
      `
      SELECT * FROM run_steps WHERE run_id = $1 AND seq >= coalesce((
        SELECT max(seq) FROM run_steps WHERE run_id = $1 AND kind = 'summary' AND state = 'answered'), 0)
      ORDER BY seq`,
      [runId],
    );
    return rows.map(stepOf);
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}
