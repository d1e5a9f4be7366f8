import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { AI_ERRORS } from '../ai.errors.js';
import { GenerationsService } from '../calls/generations.service.js';
import { GenerationAnswer, GenerationPageAnswer, GenerationsQuery, GenerationView } from './generations.dto.js';

@ApiTags('ai')
@Controller('api/v1/ai/generations')
export class GenerationsController {
  constructor(private readonly generations: GenerationsService) {}

  @Get()
  @RequireScope('ai:invoke')
  @ApiOperation({
    summary: 'Lists what models did in the last 90 days, newest first.',
    description: 'Covers the organization of the key. Prompts and answers are not kept.',
  })
  @ApiOkResponse({ type: GenerationPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async list(@Caller() call: Call, @Query() query: GenerationsQuery): Promise<Envelope<GenerationView[]>> {
    const page = await this.generations.list(call, query.filter, query.page);
    return pageEnvelope(page, (generation) => GenerationView.of(generation));
  }

  @Get(':generation_id')
  @RequireScope('ai:invoke', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns what a generation used and cost.',
    description: 'It exists once the generation has ended. `X-Service-Generation` of the answer has its ID.',
  })
  @ApiOkResponse({ type: GenerationAnswer })
  @ApiRefusals(...ANY_CALLER, AI_ERRORS.generation_not_found)
  async get(@Caller() call: Call, @Param('generation_id') id: string): Promise<Envelope<GenerationView>> {
    return new Envelope(GenerationView.of(await this.generations.get(call, id)));
  }
}
