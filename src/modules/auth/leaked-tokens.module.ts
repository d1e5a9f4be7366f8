import { Module } from '@nestjs/common';
import { LeakedTokens } from './leaked-tokens.js';
import { TokensModule } from './tokens.module.js';

@Module({ imports: [TokensModule], providers: [LeakedTokens], exports: [LeakedTokens] })
export class LeakedTokensModule {}
