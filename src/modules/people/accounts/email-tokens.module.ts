import { Module } from '@nestjs/common';
import { PeoplePersistenceModule } from '../persistence/people-persistence.module.js';
import { TokensModule } from '../../auth/tokens.module.js';
import { EmailTokensService } from './email-tokens.service.js';

@Module({
  imports: [PeoplePersistenceModule, TokensModule],
  providers: [EmailTokensService],
  exports: [EmailTokensService],
})
export class EmailTokensModule {}
