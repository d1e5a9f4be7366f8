import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Config } from '../../../platform/config/config.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { failureOf } from '../../../platform/http/failure.js';
import { InnerCalls, readUpTo } from '../../../platform/http/inner-calls.js';
import { CallBudgetService } from '../../limits/call-budget.service.js';
import { isFree } from '../../limits/spent-call.js';
import type { Tool } from '../tools/tool.js';
import type { McpSession } from './mcp-session.js';
import { requestOf, type ToolRequest } from './tool-arguments.js';
import { imagesIn } from './image-results.js';
import { fittedExecution } from './fitted-execution.js';
import { type AskedFile, fileResultOf } from './file-results.js';
import { type AnswerBody, failed, MAX_TEXT_BYTES, quoted, succeeded } from './tool-answers.js';
import type { CatalogEntry } from './tool-catalog.js';
import { textResultOf } from './text-results.js';

/** What is read of an answer before it is cut. Answers in JSON can only be read as a whole. */
const MAX_JSON_BYTES = 4_194_304;
/** An execution prints up to 2 MiB, which JSON may make six times as long, and shows up to 4 MiB beside it. */
const MAX_EXECUTION_BYTES = 20_971_520;

/** An answer of a route. */
export interface RouteAnswer {
  readonly status: number;
  readonly body: AnswerBody;
}

/** A call of a tool: which one, for whom, and until when anyone waits for it. */
export interface ToolCall {
  readonly session: McpSession;
  readonly entry: CatalogEntry;
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Calls the routes behind tools, as the caller and from its address. */
@Injectable()
export class ToolCalls {
  constructor(
    private readonly inner: InnerCalls,
    private readonly budgets: CallBudgetService,
    private readonly config: Config,
  ) {}

  /** @throws {Error} when the caller hangs up. A refusal is a result. */
  async call(call: ToolCall): Promise<CallToolResult> {
    const { entry, session } = call;
    try {
      const request = requestOf(entry, call.given);
      const response = await this.send(call, request);
      if (session.spent !== undefined && isFree(response.statusCode ?? 500)) await this.budgets.giveBack(session.spent);
      return await resultOf(response, entry, askedOf(request, this.config));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return this.refusal(error, session);
    }
  }

  /** Renders a refusal as the API would. */
  refusal(error: DomainError, { call }: McpSession): CallToolResult {
    return failed(failureOf(error, call.requestId, this.config, false).body as AnswerBody);
  }

  /** Reads a resource for the service itself: with the rights of the caller, as a part of the same call. */
  async look({ session, signal }: Pick<ToolCall, 'session' | 'signal'>, path: string): Promise<RouteAnswer> {
    const response = await this.inner.open({
      method: 'GET',
      path,
      headers: headersOf(session),
      origin: originOf(session),
      signal,
    });
    return { status: response.statusCode ?? 500, body: await jsonOf(response) };
  }

  private send({ session, entry, signal }: ToolCall, { path, body, headers }: ToolRequest): Promise<IncomingMessage> {
    const { tool } = entry;
    return this.inner.open({
      method: tool.method,
      path,
      headers: { ...headersOf(session), ...writeHeadersOf(session, tool), ...acceptOf(tool), ...headers },
      ...(body === undefined ? {} : { body }),
      origin: { ...originOf(session), via: `mcp:${tool.name}` },
      signal,
    });
  }
}

const originOf = ({ call, caller }: McpSession): { address: string; caller: unknown } => ({ address: call.ip, caller });

const headersOf = ({ call, traceId }: McpSession): OutgoingHttpHeaders => ({
  'x-service-org': call.org.id,
  'x-request-id': call.requestId,
  'x-trace-id': traceId,
});

const ACCEPTED = {
  json: 'application/json',
  lines: 'application/x-ndjson',
  text: 'text/markdown, */*',
  file: '*/*',
} as const;

export const acceptOf = ({ answers = 'json' }: Pick<Tool, 'answers'>): OutgoingHttpHeaders => ({
  accept: ACCEPTED[answers],
});

/**
 * The key of the request is that of one message, while the API keeps keys by route: so the name of the tool is part of
 * the key, and another tool with the same key does not answer with `idempotency_mismatch`.
 */
function writeHeadersOf(
  { idempotencyKey, dryRun }: McpSession,
  { effect, name, isDryRun = false }: Tool,
): OutgoingHttpHeaders {
  if (isDryRun) return { 'dry-run': 'true' };
  if (effect === 'reads') return {};
  const key = idempotencyKey && createHash('sha256').update(`${name}\n${idempotencyKey}`).digest('base64url');
  return {
    ...(key === undefined ? {} : { 'idempotency-key': `mcp-${key}` }),
    ...(dryRun ? { 'dry-run': 'true' } : {}),
  };
}

/** What a client can ask for again: from where on, and at which address with its key. */
export const askedOf = ({ path, begin }: ToolRequest, { publicUrl }: Pick<Config, 'publicUrl'>): AskedFile => ({
  begin,
  address: `${publicUrl}${path}`,
});

/** Returns the answer of a route as the result of its tool. */
export async function resultOf(
  response: IncomingMessage,
  entry: Pick<CatalogEntry, 'tool' | 'listed'>,
  asked: AskedFile,
): Promise<CallToolResult> {
  const { tool, listed } = entry;
  const status = response.statusCode ?? 500;
  if (status >= 400) return failed(await jsonOf(response));
  if (tool.answers === 'text') return textResultOf(response, tool);
  if (tool.answers === 'file') return fileResultOf(response, tool, asked);
  if (tool.answers === 'lines') {
    const { bytes } = await readUpTo(response, MAX_TEXT_BYTES + 1);
    return quoted(bytes.toString(), tool);
  }
  const whole = await jsonOf(response, tool.answersExecution === true ? MAX_EXECUTION_BYTES : MAX_JSON_BYTES);
  if (whole['error'] !== undefined) return failed(whole);
  const { body, images } = tool.answersExecution === true ? executionIn(whole, tool) : { body: whole, images: [] };
  const kept = tool.keeps === undefined ? body : keptOf(body, tool.keeps);
  const result = succeeded(kept, tool, listed.outputSchema !== undefined);
  return images.length === 0 ? result : { ...result, content: [...result.content, ...images] };
}

function executionIn(whole: AnswerBody, { goesOnWith }: Tool): ReturnType<typeof imagesIn> {
  const { body, images } = imagesIn(whole);
  return { body: fittedExecution(body, goesOnWith), images };
}

async function jsonOf(response: IncomingMessage, mostBytes = MAX_JSON_BYTES): Promise<AnswerBody> {
  const { bytes, isCut } = await readUpTo(response, mostBytes);
  const most = mostBytes / 1_048_576;
  if (isCut)
    return {
      error: {
        type: 'api_error',
        code: 'payload_too_large',
        status: 413,
        message: `The answer is larger than ${most} MiB.`,
        hint: 'Ask for less at once.',
      },
    };
  if (bytes.length === 0) return { data: null };
  try {
    return JSON.parse(bytes.toString()) as AnswerBody;
  } catch {
    return { data: bytes.toString() };
  }
}

/** Leaves only the named fields of each item. */
function keptOf(body: AnswerBody, keeps: readonly string[]): AnswerBody {
  const kept = (item: unknown): object =>
    Object.fromEntries(Object.entries(item as object).filter(([name]) => keeps.includes(name)));
  const { data } = body;
  return { ...body, data: Array.isArray(data) ? data.map(kept) : kept(data) };
}
