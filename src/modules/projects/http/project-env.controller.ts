import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ProjectEnvService, type ShownVariable } from '../project-env.service.js';
import { PROJECT_ERRORS } from '../projects.errors.js';
import { EnvAnswer, EnvVariableView, RemoveEnvQuery, SetEnvBody } from './project-env.dto.js';

/** The largest set of variables of one target, with room for JSON escapes. */
const BODY_BYTES = 2_097_152;

@ApiTags('projects')
@Controller('api/v1/projects/:project_id/env')
export class ProjectEnvController {
  constructor(private readonly env: ProjectEnvService) {}

  @Get()
  @RequireScope('projects:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the environment variables of a project by name.',
    description: 'The values of secrets are left out.',
  })
  @ApiOkResponse({ type: EnvAnswer })
  @ApiRefusals(...ANY_CALLER, PROJECT_ERRORS.project_not_found)
  async list(@Caller() call: Call, @Param('project_id') idOrSlug: string): Promise<Envelope<EnvVariableView[]>> {
    return answerOf(await this.env.list(call, idOrSlug));
  }

  @Put()
  @RequireScope('projects:write', { in: 'resource' })
  @TakesJson({ limitBytes: BODY_BYTES })
  @ApiOperation({
    summary: 'Sets environment variables, and returns all variables of the project.',
    description:
      'Sets all of the variables or none. Variables and targets that are absent from the call stay the same. ' +
      'A deploy uses the variables that are set when it begins.',
  })
  @ApiOkResponse({ type: EnvAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, PROJECT_ERRORS.project_not_found)
  async set(
    @Caller() call: Call,
    @Param('project_id') idOrSlug: string,
    @Body() { variables }: SetEnvBody,
  ): Promise<Envelope<EnvVariableView[]>> {
    return answerOf(await this.env.set(call, idOrSlug, variables));
  }

  @Delete()
  @RequireScope('projects:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Removes an environment variable from all targets, or from one.',
    description: 'Succeeds as well if the variable does not exist.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, PROJECT_ERRORS.project_not_found)
  async remove(
    @Caller() call: Call,
    @Param('project_id') idOrSlug: string,
    @Query() { name, target }: RemoveEnvQuery,
  ): Promise<void> {
    await this.env.remove(call, idOrSlug, name, target);
  }
}

const answerOf = (variables: readonly ShownVariable[]): Envelope<EnvVariableView[]> =>
  new Envelope(variables.map((variable) => EnvVariableView.of(variable)));
