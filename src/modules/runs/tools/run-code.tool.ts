import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import {
  type KeyedExecutionInput,
  LANGUAGES,
  MAX_FILES,
  OrgExecutionsService,
} from '../../sandbox/org-executions.service.js';
import { type CodeInput, CodeTool, extrasOf } from './code-tool.js';
import { answerOf, MAX_CODE_BYTES } from './execution-answer.js';
import { inputOf } from './single-tool.js';

interface Input extends CodeInput, Pick<KeyedExecutionInput, 'language' | 'code' | 'files' | 'artifacts'> {
  readonly timeout_ms?: number;
  readonly memory_mib?: number;
  readonly rich_results?: boolean;
}

/** Runs code in the sandbox, within the plan of the organization. */
@Injectable()
export class RunCodeTool extends CodeTool {
  readonly name = 'run_code';
  readonly summary = 'Runs TypeScript, JavaScript or Python in the sandbox.';
  readonly description =
    'Runs a program in a sandbox and returns its output and exit code. Nothing is kept between runs, and there is no ' +
    'network unless `network` names hosts. Print what you want to know. With `rich_results`, the value of the last ' +
    'expression of Python is in `results`; figures are only named there: save them in /artifacts. With `artifacts`, ' +
    'the files in /artifacts are kept for a day, for people to download and for read_artifact. The time that it runs ' +
    'is charged.';
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
      rich_results: { type: 'boolean', description: 'Only for Python.' },
      artifacts: { type: 'boolean' },
    },
    ['files', 'timeout_ms', 'memory_mib', 'rich_results', 'artifacts'],
  );

  constructor(
    tools: AgentTools,
    private readonly executions: OrgExecutionsService,
  ) {
    super();
    tools.register(this);
  }

  protected async run({ input, caller, effectKey, signal }: ToolCall): Promise<ToolOutcome> {
    const asked = input as unknown as Input;
    const { language, code, files = [], timeout_ms: timeoutMs, memory_mib: memoryMib, artifacts } = asked;
    const richResults = asked.rich_results;
    const work = { language, code, files, timeoutMs, memoryMib, richResults, artifacts, effectKey };
    const ended = await this.executions.run(caller, { ...work, ...extrasOf(asked) }, signal);
    return answerOf(ended, { quotesOthers: asked.network !== undefined || asked.packages !== undefined });
  }
}
