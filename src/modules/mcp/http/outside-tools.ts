import { Injectable } from '@nestjs/common';
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { Config } from '../../../platform/config/config.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { failureOf } from '../../../platform/http/failure.js';
import { InnerCalls } from '../../../platform/http/inner-calls.js';
import { RouteDirectory } from '../../auth/route-directory.js';
import { ApiDescription } from '../../docs/api-description.js';
import { Features } from '../../features/features.js';
import { OUTSIDE_LISTS, type OutsidePlace } from '../tools/outside-lists.js';
import { answerOf, canAsk, type ClientSide, requireConfirm } from './confirmations.js';
import { requestOf } from './tool-arguments.js';
import { type AnswerBody, failed } from './tool-answers.js';
import { acceptOf, askedOf, resultOf } from './tool-calls.js';
import { type CompiledTool, compileTool } from './tool-schemas.js';

/** A request of a client that has no key: anyone's, or an operator's. */
export interface OutsideSession {
  readonly place: OutsidePlace;
  readonly address: string;
  readonly requestId: string;
  readonly traceId: string;
  /** The header of an operator, which the routes check themselves. */
  readonly authorization: string | undefined;
}

interface OutsideCall {
  readonly session: OutsideSession;
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** The tools of a place that takes no key. Each place has a fixed list, and its routes decide whom they let in. */
@Injectable()
export class OutsideTools {
  private readonly compiled = new Map<OutsidePlace, ReadonlyMap<string, CompiledTool>>();

  constructor(
    private readonly inner: InnerCalls,
    private readonly description: ApiDescription,
    private readonly routes: RouteDirectory,
    private readonly features: Features,
    private readonly config: Config,
  ) {}

  list(place: OutsidePlace): ListedTool[] {
    return [...this.of(place).values()]
      .filter(({ tool }) => this.isOn(tool))
      .map(({ listed }) => listed as unknown as ListedTool);
  }

  /** @throws {ProtocolError} for a tool that the place does not have. A refusal of its route is a result. */
  async call(call: OutsideCall, client: ClientSide): Promise<CallToolResult | InputRequiredResult> {
    const compiled = this.of(call.session.place).get(call.name);
    if (compiled === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${call.name.slice(0, 100)} here.`);
    try {
      return questionOf(compiled, call, client) ?? (await this.send(call, compiled));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return failed(failureOf(error, call.session.requestId, this.config, false).body as AnswerBody);
    }
  }

  private async send({ session, given, signal }: OutsideCall, compiled: CompiledTool): Promise<CallToolResult> {
    const { method, name } = compiled.tool;
    const request = requestOf(compiled, given);
    const { path, body, headers } = request;
    const { address, authorization, requestId, traceId } = session;
    const response = await this.inner.open({
      method,
      path,
      headers: {
        'x-request-id': requestId,
        'x-trace-id': traceId,
        ...(authorization === undefined ? {} : { authorization }),
        ...acceptOf(compiled.tool),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      origin: { address, caller: undefined, via: `mcp:${name}` },
      signal,
    });
    return resultOf(response, compiled, askedOf(request, this.config));
  }

  private of(place: OutsidePlace): ReadonlyMap<string, CompiledTool> {
    let tools = this.compiled.get(place);
    if (tools === undefined) {
      const document = this.description.get();
      tools = new Map(OUTSIDE_LISTS[place].map((tool) => [tool.name, compileTool(document, tool, { group: 'help' })]));
      this.compiled.set(place, tools);
    }
    return tools;
  }

  private isOn({ method, path }: CompiledTool['tool']): boolean {
    const flag = this.routes.find(method, path)?.flag;
    return flag === undefined || this.features.isEnabled(flag);
  }
}

function questionOf(
  { tool: { asks } }: CompiledTool,
  { given }: OutsideCall,
  client: ClientSide,
): CallToolResult | InputRequiredResult | undefined {
  if (asks === undefined) return undefined;
  if (canAsk(client.capabilities)) return answerOf(asks, given, client);
  requireConfirm(given, [given['name']], 'the name of the flag');
  return undefined;
}
