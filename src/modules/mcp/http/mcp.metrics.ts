import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';

const REQUESTS = 'mcp_requests_total';
const TOOL_CALLS = 'mcp_tool_calls_total';
const TOOL_SECONDS = 'mcp_tool_seconds';

/** Callers choose the method, so that only these become labels. */
const METHODS = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

export type ToolResult = 'succeeded' | 'refused' | 'failed' | 'aborted';

/** Counts messages of clients, and calls of tools. */
@Injectable()
export class McpMetrics {
  constructor(
    @InjectMetric(REQUESTS) private readonly requests: Counter,
    @InjectMetric(TOOL_CALLS) private readonly toolCalls: Counter,
    @InjectMetric(TOOL_SECONDS) private readonly toolSeconds: Histogram,
  ) {}

  answered(method: unknown, era: 'modern' | 'legacy', status: number): void {
    const label = typeof method === 'string' && METHODS.has(method) ? method : 'other';
    this.requests.inc({ method: label, era, result: status < 400 ? 'succeeded' : status < 500 ? 'refused' : 'failed' });
  }

  /** @param tool the name of a tool that exists. */
  called(tool: string, result: ToolResult, seconds: number): void {
    this.toolCalls.inc({ tool, result });
    this.toolSeconds.observe({ tool }, seconds);
  }
}

export const MCP_METRICS: Provider[] = [
  McpMetrics,
  makeCounterProvider({
    name: REQUESTS,
    help: 'Messages of MCP clients by method, era of the protocol and result.',
    labelNames: ['method', 'era', 'result'],
  }),
  makeCounterProvider({
    name: TOOL_CALLS,
    help: 'Calls of MCP tools: refused ones were the fault of the caller, failed ones ours.',
    labelNames: ['tool', 'result'],
  }),
  makeHistogramProvider({
    name: TOOL_SECONDS,
    help: 'Duration of calls of MCP tools, with the time that a tool waits for its work.',
    labelNames: ['tool'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60, 300],
  }),
];
