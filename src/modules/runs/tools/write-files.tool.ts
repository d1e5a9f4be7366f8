import { Injectable } from '@nestjs/common';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { RepositoryFilesService, type WriteFilesInput } from '../../repositories/repository-files.service.js';
import { inputOf, SingleTool, succeeded } from './single-tool.js';

interface Input extends Pick<WriteFilesInput, 'branch' | 'message' | 'files'> {
  readonly repository: string;
  readonly expected_head: string | null;
}

/** Commits files to hosted repositories. */
@Injectable()
export class WriteFilesTool extends SingleTool {
  readonly name = 'write_files';
  readonly summary = 'Commits files to a branch of a hosted repository.';
  readonly description =
    'Adds a commit to a branch, which may start a deploy like any push. `expected_head` is the commit that you read ' +
    'the files at: if the branch has moved since, nothing is written. A branch that does not exist begins there. ' +
    'The content replaces the whole file, and null deletes it.';
  readonly inputSchema = inputOf({
    repository: { type: 'string', minLength: 1, maxLength: 100, description: 'The id or the name of a repository.' },
    branch: { type: 'string', minLength: 1, maxLength: 255 },
    message: { type: 'string', minLength: 1, maxLength: 8_000, description: 'The message of the commit.' },
    files: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: inputOf({
        path: { type: 'string', minLength: 1, maxLength: 1_024 },
        content: { type: ['string', 'null'], maxLength: 1_048_576 },
      }),
    },
    expected_head: {
      type: ['string', 'null'],
      pattern: '^[0-9a-f]{40}$',
      description: 'Null for the first commit of an empty repository.',
    },
  });
  readonly effect = 'keyed';
  override readonly scopes: readonly Scope[] = ['repositories:write'];
  override readonly isOutward = true;

  constructor(
    tools: AgentTools,
    private readonly files: RepositoryFilesService,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller, effectKey }: ToolCall): Promise<ToolOutcome> {
    const { repository, branch, message, files, expected_head: expectedHead } = input as unknown as Input;
    const work = { branch, message, files, expectedHead, effectKey };
    const { repositoryId, commit } = await this.files.write(caller, repository, work);
    return succeeded({ repository_id: repositoryId, branch, commit });
  }
}
