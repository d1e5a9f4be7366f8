import { Module } from '@nestjs/common';
import { PublicAddress } from '../domain/public-address.js';
import { DatabasesHomeModule } from '../home/databases-home.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { WireCertificate } from './tls/wire-certificate.js';
import { WireServer } from './wire-server.js';

/** The port and the certificate, which the row of this host names. */
@Module({
  imports: [DatabasesHomeModule, DatabasesPersistenceModule],
  providers: [PublicAddress, WireCertificate, WireServer],
  exports: [WireCertificate, WireServer],
})
export class WireListenerModule {}
