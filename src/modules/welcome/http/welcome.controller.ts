import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { Clock } from '../../../platform/time/clock.js';
import { ReadinessService } from '../../health/readiness.service.js';
import { PricesService } from '../../metering/prices.service.js';
import { PublicPages } from '../../site/public-pages.js';
import { landingPage } from '../pages/landing-page.js';
import { pricingPage } from '../pages/pricing-page.js';
import { statusPage } from '../pages/status-page.js';

/** The first pages that a person without an account sees. */
@ApiExcludeController()
@Controller()
@Public()
export class WelcomeController {
  constructor(
    private readonly site: PublicPages,
    private readonly prices: PricesService,
    private readonly readiness: ReadinessService,
    private readonly clock: Clock,
  ) {}

  @Get()
  landing(@Res() response: Response): void {
    this.site.send(response, landingPage());
  }

  /** The page that `upgrade_url` leads to, unless `PRICING_URL` is set. */
  @Get('pricing')
  async pricing(@Res() response: Response): Promise<void> {
    this.site.send(response, pricingPage(await this.prices.list(this.clock.now())));
  }

  @Get('status')
  async status(@Res() response: Response): Promise<void> {
    const state = await this.readiness.parts();
    this.site.send(response, statusPage(state, this.clock.now()), state.isReady ? 200 : 503);
  }
}
