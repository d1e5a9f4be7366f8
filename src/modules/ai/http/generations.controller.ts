import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { AI_ERRORS } from '../ai.errors.js';
import { GenerationsService } from '../calls/generations.service.js';
import { GenerationContentsService } from '../retention/generation-contents.service.js';
import { GenerationContentAnswer, GenerationContentView } from './generation-content.dto.js';
import { GenerationAnswer, GenerationPageAnswer, GenerationsQuery, GenerationView } from './generations.dto.js';

@ApiTags('ai')
@Controller('api/v1/ai/generations')
export class GenerationsController {
  constructor(
    private readonly generations: GenerationsService,
    private readonly contents: GenerationContentsService,
  ) {}

  @Get()
  @RequireScope('ai:invoke')
  @ApiOperation({
    summary: 'Lists what models did in the last 90 days, newest first.',
    description: 'Covers the organization of the key, without prompts and answers.',
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

  @Get(':generation_id/content')
  @TakesSession('or_key')
  @RequireScope('orgs:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Returns the request and the answer of a generation, if its organization keeps texts.',
    description:
      'Texts are kept only while the policy has `retention_days`. Also needs `ai:invoke`, so that neither viewers ' +
      'nor keys that only call models read what others have asked.',
  })
  @ApiOkResponse({ type: GenerationContentAnswer })
  @ApiRefusals(...ANY_CALLER, AI_ERRORS.generation_not_found, AI_ERRORS.generation_content_not_found)
  async content(@Caller() call: Call, @Param('generation_id') id: string): Promise<Envelope<GenerationContentView>> {
    return new Envelope(GenerationContentView.of(await this.contents.get(call, id)));
  }
}
