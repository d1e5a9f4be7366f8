import { Module } from '@nestjs/common';
import { HealthModule } from '../../health/health.module.js';
import { MeteringModule } from '../../metering/metering.module.js';
import { SiteModule } from '../../site/site.module.js';
import { WelcomeController } from './welcome.controller.js';

@Module({ imports: [SiteModule, MeteringModule, HealthModule], controllers: [WelcomeController] })
export class WelcomeHttpModule {}
