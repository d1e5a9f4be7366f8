import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_BRANCH_BYTES } from '../../../platform/git/branch-name.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsBranchName, IsTitle } from '../../../platform/text/text-fields.js';
import type { CreateDeployHookInput } from '../hooks/deploy-hooks.service.js';
import type { IssuedDeployHook } from '../hooks/hook-issuer.js';
import type { DeployHook } from '../persistence/deploy-hook.entity.js';

export class CreateDeployHookBody {
  @ApiProperty({ maxLength: 100, example: 'Content changed', description: 'What calls the hook, for the list.' })
  @IsTitle()
  readonly name!: string;

  @ApiProperty({ maxLength: MAX_BRANCH_BYTES, example: 'main', description: 'Branch that the hook deploys.' })
  @IsBranchName()
  readonly branch!: string;

  get input(): CreateDeployHookInput {
    const { name, branch } = this;
    return { name, branch };
  }
}

export class DeployHookView {
  @ApiProperty({ example: 'dhk_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ example: 'Content changed' }) name!: string;
  @ApiProperty({ example: 'main' }) branch!: string;
  @ApiProperty({
    description:
      'True if the hook may deploy the production branch to production, because its creator may. ' +
      'Otherwise it only creates previews.',
  })
  production!: boolean;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent until the hook is called.' })
  last_used_at?: string;

  static of({ id, projectId, name, branch, production, createdAt, lastUsedAt }: DeployHook): DeployHookView {
    return {
      id,
      project_id: projectId,
      name,
      branch,
      production,
      created_at: createdAt.toISOString(),
      ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt.toISOString() }),
    };
  }
}

export class IssuedDeployHookView extends DeployHookView {
  @ApiProperty({
    example: 'https://api.example.com/webhooks/deploys/dhk_01jd3m8yeqf5rb0xkq5ym8s6tn/svc_hook_…',
    description: 'Secret URL, which is returned only once. A POST to it deploys the branch.',
  })
  url!: string;

  static issued({ hook, url }: IssuedDeployHook): IssuedDeployHookView {
    return Object.assign(DeployHookView.of(hook), { url });
  }
}

export class IssuedDeployHookAnswer {
  @ApiProperty({ type: IssuedDeployHookView }) data!: IssuedDeployHookView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DeployHooksAnswer {
  @ApiProperty({ type: [DeployHookView] }) data!: DeployHookView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
