import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Public } from '../../../platform/http/public.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { AI_ERRORS } from '../ai.errors.js';
import { ModelsService } from '../catalog/models.service.js';
import { ModelList, ModelView } from './models.dto.js';

/** OpenAI's list of models. Its clients expect the bodies as they are, and so they have no envelope. */
@ApiTags('ai')
@Controller('api/v1/ai/models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @Public()
  @ApiOperation({
    summary: 'Lists the models that calls can use, with their prices.',
    description: 'The list has the form of OpenAI and no envelope. It is empty when no model router is configured.',
  })
  @ApiOkResponse({ type: ModelList })
  @ApiRefusals(...ANY_CALL)
  async list(): Promise<ModelList> {
    const models = await this.models.list();
    return { object: 'list', data: models.map((model) => ModelView.of(model)) };
  }

  @Get('*model_id')
  @Public()
  @ApiOperation({
    summary: 'Returns a model by its ID or an alias.',
    description: 'The ID may contain slashes. The body has the form of OpenAI and no envelope.',
  })
  @ApiParam({ name: 'model_id', type: String })
  @ApiOkResponse({ type: ModelView })
  @ApiRefusals(...ANY_CALL, AI_ERRORS.model_not_found, AI_ERRORS.model_router_not_configured)
  async get(@Param('model_id') modelId: string | readonly string[]): Promise<ModelView> {
    return ModelView.of(await this.models.get(typeof modelId === 'string' ? modelId : modelId.join('/')));
  }
}
