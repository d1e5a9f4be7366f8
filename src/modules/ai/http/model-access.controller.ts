import { Controller, Delete, Get, HttpCode, HttpStatus, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PROJECT_ERRORS } from '../../projects/projects.errors.js';
import { ModelAccessService } from '../model-access/model-access.service.js';
import { ModelAccessAnswer, ModelAccessView } from './model-access.dto.js';

@ApiTags('ai')
@Controller('api/v1/projects/:project_id/model-access')
export class ModelAccessController {
  constructor(private readonly access: ModelAccessService) {}

  @Get()
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns whether deploys of a project can call models, and their key.' })
  @ApiOkResponse({ type: ModelAccessAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async get(@Caller() call: Call, @Param('project_id') projectIdOrSlug: string): Promise<Envelope<ModelAccessView>> {
    return new Envelope(ModelAccessView.of(await this.access.find(call, projectIdOrSlug)));
  }

  @Put()
  @RequireScope('projects:write', { in: 'resource' })
  @TakesNothing()
  @ApiOperation({
    summary: 'Lets deploys of a project call models.',
    description:
      'Creates a key with the scope `ai:invoke` that is bound to the project, and sets the variables ' +
      '`OPENAI_BASE_URL` and `OPENAI_API_KEY`, which every OpenAI client reads. The next deploy uses them; builds ' +
      'cannot call models. Also needs `keys:write`. Repeating it changes nothing.',
  })
  @ApiOkResponse({ type: ModelAccessAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PROJECT_ERRORS.project_not_found, GENERIC_ERRORS.already_exists)
  async enable(@Caller() call: Call, @Param('project_id') projectIdOrSlug: string): Promise<Envelope<ModelAccessView>> {
    return new Envelope(ModelAccessView.of(await this.access.enable(call, projectIdOrSlug)));
  }

  @Delete()
  @RequireScope('projects:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Stops deploys of a project from calling models.',
    description: 'Revokes the key at once and removes both variables. Also needs `keys:write`.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PROJECT_ERRORS.project_not_found)
  async disable(@Caller() call: Call, @Param('project_id') projectIdOrSlug: string): Promise<void> {
    await this.access.disable(call, projectIdOrSlug);
  }
}
