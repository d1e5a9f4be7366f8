import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import { JsonSchemas } from '../../agents/json-schemas.js';
import { RunMessagesStore } from '../persistence/run-messages.store.js';
import { failed, inputOf, SingleTool, succeeded } from './single-tool.js';

/** Asks a person, and waits for the answer as long as it takes. */
@Injectable()
export class AskPersonTool extends SingleTool {
  readonly name = 'ask_person';
  readonly summary = 'Asks a person a question and waits for the answer.';
  readonly description =
    'Asks a person and waits for the answer. Use it when you need a decision or a fact that only people have. With ' +
    '`schema`, a JSON Schema, the answer is JSON that fits it.';
  readonly inputSchema = inputOf(
    { question: { type: 'string', minLength: 1, maxLength: 4_000 }, schema: { type: 'object' } },
    ['schema'],
  );
  readonly effect = 'local';

  constructor(
    tools: AgentTools,
    private readonly messages: RunMessagesStore,
    private readonly schemas: JsonSchemas,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ id, input, run }: ToolCall): Promise<ToolOutcome> {
    const { schema } = input as { readonly schema?: Readonly<Record<string, unknown>> };
    const [fault] = schema === undefined ? [] : this.schemas.faultsOf(schema);
    if (fault !== undefined) return failed('invalid_arguments', `schema${fault.path} ${fault.message}.`);
    const answer = await this.messages.answerTo(run.id, id);
    return answer === undefined ? { kind: 'waiting', for: 'answer' } : succeeded(answer.content);
  }
}
