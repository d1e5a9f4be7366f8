import { Controller, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { RequireFeature } from '../../features/require-feature.js';
import { HookDeploys } from '../hooks/hook-deploys.js';

/**
 * The secret URLs of deploy hooks, which carry no key. The route is outside of the API, so that no caller's budget pays
 * for it. Nothing of the body is read. Only POST deploys, because chat programs fetch each link that they show.
 */
@ApiExcludeController()
@Controller('webhooks/deploys')
@Public()
export class DeployWebhookController {
  constructor(private readonly deploys: HookDeploys) {}

  @Post(':hook_id/:secret')
  @RequireFeature('deploys')
  @HttpCode(HttpStatus.ACCEPTED)
  async call(
    @Param('hook_id') hookId: string,
    @Param('secret') secret: string,
    @Req() request: Request,
  ): Promise<Envelope<{ deploy_id: string; state: string }>> {
    const { id, state } = await this.deploys.start({ hookId, secret, ip: request.ip ?? '' });
    return new Envelope({ deploy_id: id, state });
  }
}
