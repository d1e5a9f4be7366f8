import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_CALLER } from '../access.errors.js';
import { type Call, Caller } from '../caller.js';
import { AccessExplanationService } from '../explain/access-explanation.service.js';
import { RequireCaller, TakesSession } from '../require-scope.js';
import { ExplainBody, ExplanationAnswer, ExplanationView } from './explain.dto.js';

@ApiTags('auth')
@Controller('api/v1/auth/explain')
export class ExplainController {
  constructor(private readonly explanations: AccessExplanationService) {}

  @Post()
  @RequireCaller()
  @TakesSession('or_key')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Checks whether a call would be allowed.',
    description:
      'Use it when a call is refused and you do not know why. It returns what refuses the call first, ' +
      'and the smallest change that would allow it. The call itself is not made.',
  })
  @ApiOkResponse({ type: ExplanationAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY)
  async explain(@Caller() call: Call, @Body() { method, path, org }: ExplainBody): Promise<Envelope<ExplanationView>> {
    return new Envelope(ExplanationView.of(await this.explanations.explain(call, { method, path, org })));
  }
}
