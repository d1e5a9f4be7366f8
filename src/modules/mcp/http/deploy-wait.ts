import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import { fieldOf } from './project-narrowing.js';
import { succeeded } from './tool-answers.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';

const MAX_SECONDS = 60;
const DEFAULT_SECONDS = 45;
const LOOK_EVERY_MS = 1_000;

/** Reports how far the work is, if the client asked for that. */
export type ReportProgress = (progress: { progress: number; total: number; message: string }) => Promise<void>;

/** Waits for the end of a deploy that a tool has created. The deploy goes on whether or not anyone waits. */
@Injectable()
export class DeployWait {
  constructor(
    private readonly calls: ToolCalls,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads how long to wait, before anything is created.
   *
   * @throws {RequestInvalid} `invalid_request`
   */
  secondsOf({ given, session }: ToolCall): number {
    const seconds = given['wait_seconds'] ?? DEFAULT_SECONDS;
    if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 0 || seconds > MAX_SECONDS)
      throw new RequestInvalid([
        {
          path: 'wait_seconds',
          in: 'body',
          code: 'is_int',
          message: `wait_seconds must be an integer from 0 to ${MAX_SECONDS}.`,
          expected: `0 to ${MAX_SECONDS}`,
        },
      ]);
    return session.dryRun ? 0 : seconds;
  }

  /** Returns the deploy as it is when it ends or the time is over. A caller that may not read deploys does not wait. */
  async end(call: ToolCall, created: CallToolResult, seconds: number, report: ReportProgress): Promise<CallToolResult> {
    const id = fieldOf(created.structuredContent as Record<string, unknown>, 'id');
    const startedAt = this.clock.now().getTime();
    let result = created;
    for (;;) {
      const waited = (this.clock.now().getTime() - startedAt) / 1000;
      if (typeof id !== 'string' || waited >= seconds) return result;
      await sleep(LOOK_EVERY_MS, undefined, { signal: call.signal });
      const { status, body } = await this.calls.look(call, `/api/v1/deploys/${id}`);
      if (status !== 200) return result;
      result = succeeded(body, call.entry.tool, true);
      const state = fieldOf(body, 'state') as string;
      if (ENDED.includes(state)) return result;
      await report({ progress: Math.min(waited, seconds), total: seconds, message: state });
    }
  }
}

/** The states of a deploy that are final. */
const ENDED = ['ready', 'error', 'canceled', 'skipped'];
