import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { EmailTokensService } from './email-tokens.service.js';

@Module({ imports: [PersistenceModule, TokensModule], providers: [EmailTokensService], exports: [EmailTokensService] })
export class EmailTokensModule {}
