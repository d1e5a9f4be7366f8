import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { TokensModule } from './tokens.module.js';
import { AttemptsService } from './attempts.service.js';
import { UnknownKeyThrottle } from './unknown-key-throttle.js';

const SERVICES = [AttemptsService, UnknownKeyThrottle];

@Module({ imports: [LimitsModule, TokensModule], providers: SERVICES, exports: SERVICES })
export class AttemptsModule {}
