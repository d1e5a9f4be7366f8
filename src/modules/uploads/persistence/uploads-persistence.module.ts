import { Module } from '@nestjs/common';
import { UploadsStore } from './uploads.store.js';

@Module({ providers: [UploadsStore], exports: [UploadsStore] })
export class UploadsPersistenceModule {}
