import { Injectable } from '@nestjs/common';
import {
  acceptedContent,
  type CallToolResult,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { BranchWrites } from './branch-writes.js';
import { fieldOf } from './project-narrowing.js';
import { failed } from './tool-answers.js';
import { type ToolCall, ToolCalls } from './tool-calls.js';

/** What the client can do and has answered in this request. */
export interface ClientSide {
  readonly capabilities: ClientCapabilities | undefined;
  readonly inputResponses: Record<string, unknown> | undefined;
}

const QUESTION = 'confirm';

/**
 * Asks a person before a call that changes what visitors see. A client that cannot ask sends the slug of the project
 * instead, which a model does not send by accident.
 */
@Injectable()
export class Confirmations {
  constructor(
    private readonly calls: ToolCalls,
    private readonly branches: BranchWrites,
  ) {}

  /**
   * Returns what to send instead of making the call, or undefined when a person has agreed.
   *
   * @throws {RequestInvalid} `invalid_request` without the slug, or with another one.
   */
  async ask(call: ToolCall, client: ClientSide): Promise<CallToolResult | InputRequiredResult | undefined> {
    const { asks, staysOnBranches } = call.entry.tool;
    if (staysOnBranches === true) return this.askForMain(call, client);
    if (asks === undefined) return undefined;
    if (!canAsk(client.capabilities)) {
      await this.requireSlug(call);
      return undefined;
    }
    return answerOf(asks, call.given, client);
  }

  /** A statement for a branch needs no answer. */
  private async askForMain(
    call: ToolCall,
    client: ClientSide,
  ): Promise<CallToolResult | InputRequiredResult | undefined> {
    const found = await this.branches.find(call);
    if ('refusal' in found) return failed(found.refusal);
    const { name } = found;
    if (name === undefined) return undefined;
    if (canAsk(client.capabilities))
      return answerOf(
        `Change the database ${JSON.stringify(name)}, which is no branch or is in production?`,
        call.given,
        client,
      );
    requireConfirm(call.given, [name], 'the name of the database');
    return undefined;
  }

  private async requireSlug(call: ToolCall): Promise<void> {
    const { confirm } = call.given;
    const names = typeof confirm === 'string' && confirm !== '' ? await this.namesOf(call) : [];
    requireConfirm(call.given, names, 'the slug of the project');
  }

  /** A key that may not read the project knows it by its id alone. */
  private async namesOf(call: ToolCall): Promise<unknown[]> {
    const projectId = await this.projectOf(call);
    if (projectId === undefined) return [];
    const { status, body } = await this.calls.look(call, `/api/v1/projects/${encodeURIComponent(projectId)}`);
    return status === 403 ? [projectId] : [fieldOf(body, 'slug')];
  }

  private async projectOf(call: ToolCall): Promise<string | undefined> {
    const { project_id: projectId, deploy_id: deployId } = call.given;
    if (typeof projectId === 'string') return projectId;
    if (typeof deployId !== 'string' || deployId === '') return undefined;
    const { body } = await this.calls.look(call, `/api/v1/deploys/${encodeURIComponent(deployId.toWellFormed())}`);
    return fieldOf(body, 'project_id') as string | undefined;
  }
}

/**
 * Takes the argument `confirm` instead of the answer of a person.
 *
 * @throws {RequestInvalid} `invalid_request`
 */
export function requireConfirm({ confirm }: ToolCall['given'], names: readonly unknown[], expected: string): void {
  if (typeof confirm === 'string' && confirm !== '' && names.includes(confirm)) return;
  const message = `confirm must be ${expected}. Send it once a person has agreed.`;
  throw new RequestInvalid([{ path: 'confirm', in: 'body', code: 'confirmation', message, expected }]);
}

/** Returns the question, or the end of it where the person did not agree; undefined once the person has agreed. */
export function answerOf(
  asks: string,
  given: ToolCall['given'],
  { inputResponses }: ClientSide,
): CallToolResult | InputRequiredResult | undefined {
  if (inputResponses?.[QUESTION] === undefined) return questionOf(asks, given);
  if (acceptedContent<{ agreed?: unknown }>(inputResponses, QUESTION)?.agreed === true) return undefined;
  return { isError: true, content: [{ type: 'text', text: 'The person did not agree. Nothing was changed.' }] };
}

/** Clients of 2025 name their capabilities once, in a session, and this server keeps none. */
export function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function questionOf(asks: string, given: ToolCall['given']): InputRequiredResult {
  const named = Object.entries(given)
    .filter(([name, value]) => name !== QUESTION && typeof value === 'string')
    .map(([name, value]) => `${name}: ${(value as string).slice(0, 200)}`)
    .join(', ');
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: named === '' ? asks : `${asks} (${named})`,
        requestedSchema: {
          type: 'object',
          properties: { agreed: { type: 'boolean', title: 'Yes, change production' } },
          required: ['agreed'],
        },
      }),
    },
  });
}
