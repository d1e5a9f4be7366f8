import { Module } from '@nestjs/common';
import { ObjectsModule } from '../objects.module.js';
import { ObjectsPersistenceModule } from '../persistence/objects-persistence.module.js';
import { S3Module } from '../s3/s3.module.js';
import { PublicCache } from '../serving/public-cache.js';
import { PublicFiles } from '../serving/public-files.js';
import { StorageDomain } from '../serving/storage-domain.js';
import { UnsignedRequests } from '../serving/unsigned-requests.js';
import { S3Hosts } from './s3-hosts.js';

/** Object storage at host names of its own, in the role `edge`. */
@Module({
  imports: [ObjectsModule, ObjectsPersistenceModule, S3Module],
  providers: [PublicCache, PublicFiles, S3Hosts, StorageDomain, UnsignedRequests],
})
export class ObjectsHostModule {}
