import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import {
  type KeyedExecutionInput,
  LANGUAGES,
  MAX_FILES,
  OrgExecutionsService,
} from '../../sandbox/org-executions.service.js';
import { answerOf, MAX_CODE_BYTES } from './execution-answer.js';
import { inputOf, SingleTool } from './single-tool.js';

interface Input extends Pick<KeyedExecutionInput, 'language' | 'code' | 'files'> {
  readonly timeout_ms?: number;
  readonly memory_mib?: number;
}

/** Runs code in the sandbox, within the plan of the organization. */
@Injectable()
export class RunCodeTool extends SingleTool {
  readonly name = 'run_code';
  readonly summary = 'Runs TypeScript, JavaScript or Python in the sandbox.';
  readonly description =
    'Runs a program in a sandbox without network and returns its output and exit code. Nothing is kept between runs. ' +
    'Print what you want to know. The time that it runs is charged.';
  readonly inputSchema = inputOf(
    {
      language: { type: 'string', enum: [...LANGUAGES] },
      code: { type: 'string', minLength: 1, maxLength: MAX_CODE_BYTES },
      files: {
        type: 'array',
        maxItems: MAX_FILES,
        items: inputOf({ path: { type: 'string', maxLength: 200 }, content: { type: 'string', maxLength: 262_144 } }),
        description: 'Files in the working directory of the program, 256 KiB together.',
      },
      timeout_ms: { type: 'integer', minimum: 1, maximum: 3_600_000 },
      memory_mib: { type: 'integer', minimum: 64, maximum: 65_536 },
    },
    ['files', 'timeout_ms', 'memory_mib'],
  );
  readonly effect = 'keyed';
  override readonly scopes: readonly Scope[] = ['sandbox:execute'];

  constructor(
    tools: AgentTools,
    private readonly executions: OrgExecutionsService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller, effectKey, signal }: ToolCall): Promise<ToolOutcome> {
    const { language, code, files = [], timeout_ms: timeoutMs, memory_mib: memoryMib } = input as unknown as Input;
    const work = { language, code, files, timeoutMs, memoryMib, effectKey };
    return answerOf(await this.executions.run(caller, work, signal));
  }
}
