import { Injectable } from '@nestjs/common';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { type ClientSide, Confirmations } from './confirmations.js';
import { DeployWait, type ReportProgress } from './deploy-wait.js';
import { McpMetrics, type ToolResult } from './mcp.metrics.js';
import { ProjectNarrowing } from './project-narrowing.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';

type Result = CallToolResult | InputRequiredResult;

/** Runs a tool: what the address narrows and a person must agree to comes first, then the call, then the wait. */
@Injectable()
export class ToolRuns {
  constructor(
    private readonly calls: ToolCalls,
    private readonly narrowing: ProjectNarrowing,
    private readonly confirmations: Confirmations,
    private readonly deploys: DeployWait,
    private readonly metrics: McpMetrics,
  ) {}

  /** @throws {Error} when the caller hangs up, and for faults of ours. A refusal is a result. */
  async run(call: ToolCall, client: ClientSide, report: ReportProgress): Promise<Result> {
    const startedAtMs = performance.now();
    let counted: ToolResult = 'failed';
    try {
      const result = await this.answer(call, client, report);
      counted = resultOf(result);
      return result;
    } catch (error) {
      if (call.signal.aborted) counted = 'aborted';
      throw error;
    } finally {
      this.metrics.called(call.entry.tool.name, counted, (performance.now() - startedAtMs) / 1000);
    }
  }

  private async answer(call: ToolCall, client: ClientSide, report: ReportProgress): Promise<Result> {
    try {
      const { tool } = call.entry;
      const narrowed = { ...call, given: await this.narrowing.apply(call) };
      const seconds = tool.waitsForDeploy === true ? this.deploys.secondsOf(narrowed) : 0;
      const instead = await this.confirmations.ask(narrowed, client);
      if (instead !== undefined) return instead;
      const result = await this.calls.call(narrowed);
      return seconds === 0 || result.isError === true
        ? result
        : await this.deploys.end(narrowed, result, seconds, report);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return this.calls.refusal(error, call.session);
    }
  }
}

/** A failure of ours has a status of 5xx in its body. */
function resultOf(result: Result): ToolResult {
  if (!('content' in result) || result.isError !== true) return 'succeeded';
  const [first] = result.content as { text?: string }[];
  return /"status":5\d\d/.test(first?.text ?? '') ? 'failed' : 'refused';
}
