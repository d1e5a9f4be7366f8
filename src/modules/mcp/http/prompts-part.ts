import { Injectable } from '@nestjs/common';
import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Prompt, PROMPTS } from '../prompts/prompts.js';
import type { McpSession } from './mcp-session.js';
import type { RequestServer, ServerPart } from './server-part.js';
import { ToolCatalog } from './tool-catalog.js';

/** A value of an argument stands in a text that a model reads as the words of its user. */
const MAX_VALUE_LENGTH = 2_000;

/** Lists the prompts whose tools the caller may use, and fills them in. */
@Injectable()
export class PromptsPart implements ServerPart {
  readonly capabilities = { prompts: {} };

  constructor(private readonly catalog: ToolCatalog) {}

  install(server: RequestServer, session: McpSession): void {
    server.setRequestHandler('prompts/list', () => ({
      prompts: this.openTo(session).map(({ name, title, description, arguments: inputs }) => ({
        name,
        title,
        description,
        arguments: inputs.map(({ name: argument, description: about, required }) => ({
          name: argument,
          description: about,
          required,
        })),
      })),
    }));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = this.openTo(session).find(({ name }) => name === params.name);
      if (prompt === undefined) throw invalid(`There is no prompt ${params.name.slice(0, 100)} for this caller.`);
      return filledIn(prompt, params.arguments ?? {});
    });
  }

  private openTo(session: McpSession): Prompt[] {
    return PROMPTS.filter(({ tools }) => tools.every((tool) => this.catalog.find(session, tool) !== undefined));
  }
}

function filledIn(prompt: Prompt, values: Readonly<Record<string, string>>): GetPromptResult {
  const { description, arguments: inputs, textOf } = prompt;
  for (const name of Object.keys(values)) {
    if (!inputs.some((input) => input.name === name)) throw invalid(`There is no argument ${name.slice(0, 100)}.`);
    if (values[name]!.length > MAX_VALUE_LENGTH) throw invalid(`${name} has more than ${MAX_VALUE_LENGTH} characters.`);
  }
  const missing = inputs.find(({ name, required }) => required && (values[name] ?? '') === '');
  if (missing !== undefined) throw invalid(`${missing.name} is required.`);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  return { description, messages: [{ role: 'user', content: { type: 'text', text: textOf(given) } }] };
}

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
