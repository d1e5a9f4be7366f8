import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { LANGUAGES } from '../../sandbox/org-executions.service.js';
import { type KeyedSessionInput, OrgSessionsService } from '../../sandbox/org-sessions.service.js';
import { textOfPiece } from './bounded-text.js';
import { failed, inputOf, SingleTool, succeeded } from './single-tool.js';

/** JSON may need twice as many characters, and a model is shown 65,536. */
const MAX_BYTES = 32_768;

interface Input {
  readonly language: KeyedSessionInput['language'];
  readonly path: string;
  readonly offset?: number;
}

/** Reads the files of the interpreter of a run, as text. */
@Injectable()
export class ReadSessionFileTool extends SingleTool {
  readonly name = 'read_session_file';
  readonly summary = 'Reads a file in the interpreter that run_in_session keeps, as text.';
  readonly description =
    `Returns the text of a file of the interpreter of run_in_session, of up to 8 MiB, ${MAX_BYTES} bytes at a time. ` +
    'Pass `next_offset` as `offset` to read on. Binary files have no text. List files with the command `ls` of ' +
    'run_in_session.';
  readonly inputSchema = inputOf(
    {
      language: { type: 'string', enum: [...LANGUAGES], description: 'That of the interpreter.' },
      path: { type: 'string', minLength: 1, maxLength: 1_024, description: 'Relative to the working directory.' },
      offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'In bytes.' },
    },
    ['offset'],
  );
  readonly effect = 'read';
  override readonly scopes: readonly Scope[] = ['sandbox:execute'];

  constructor(
    tools: AgentTools,
    private readonly sessions: OrgSessionsService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller, run }: ToolCall): Promise<ToolOutcome> {
    const { language, path, offset = 0 } = input as unknown as Input;
    const file = await this.sessions.readFile(caller, { runId: run.id, language }, path);
    if (file === null)
      return failed('sandbox_session_not_found', `There is no ${language} interpreter yet. Begin one: run_in_session.`);
    const { content, quotesOthers } = file;
    const piece = textOfPiece(content.subarray(offset, offset + MAX_BYTES), { offset, sizeBytes: content.length });
    const output = { size_bytes: content.length, ...(piece ?? { note: 'The file is binary. Read it with code.' }) };
    return { ...succeeded(output), ...(quotesOthers ? { taints: true } : {}) };
  }
}
