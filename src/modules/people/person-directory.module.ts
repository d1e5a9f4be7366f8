import { Global, Module } from '@nestjs/common';
import { PersonDirectory } from '../auth/person-directory.js';
import { TokensModule } from '../auth/tokens.module.js';
import { AccountDirectory } from './accounts/account-directory.js';
import { PeoplePersistenceModule } from './persistence/people-persistence.module.js';

/** Global because `auth` and `orgs` ask for the directory and stand below `people`. */
@Global()
@Module({
  imports: [PeoplePersistenceModule, TokensModule],
  providers: [{ provide: PersonDirectory, useClass: AccountDirectory }],
  exports: [PersonDirectory],
})
export class PersonDirectoryModule {}
