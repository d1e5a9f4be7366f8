import { Global, Module } from '@nestjs/common';
import { ConnectionDirectory } from '../identities/connection-directory.js';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { SsoConnectionDirectory } from './directory/sso-connection-directory.js';
import { SsoCoreModule } from './directory/sso-core.module.js';
import { SsoPersistenceModule } from './persistence/sso-persistence.module.js';

/** Global because `identities` asks for the directory and stands below `sso`. */
@Global()
@Module({
  imports: [OrgDirectoryModule, SsoCoreModule, SsoPersistenceModule],
  providers: [{ provide: ConnectionDirectory, useClass: SsoConnectionDirectory }],
  exports: [ConnectionDirectory],
})
export class ConnectionDirectoryModule {}
