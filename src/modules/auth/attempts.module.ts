import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { TokensModule } from './tokens.module.js';
import { AttemptsService } from './attempts.service.js';

@Module({ imports: [LimitsModule, TokensModule], providers: [AttemptsService], exports: [AttemptsService] })
export class AttemptsModule {}
