import { Module } from '@nestjs/common';
import { AttachmentsModule } from './attachments/attachments.module.js';
import { ObjectAccess } from './object-access.js';
import { ObjectsPersistenceModule } from './persistence/objects-persistence.module.js';

/** For modules that run the deploys of projects. */
@Module({ imports: [AttachmentsModule, ObjectsPersistenceModule], providers: [ObjectAccess], exports: [ObjectAccess] })
export class ObjectAccessModule {}
