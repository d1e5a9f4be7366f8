import { Module } from '@nestjs/common';
import { UploadsModule } from '../uploads.module.js';
import { UploadsController } from './uploads.controller.js';

@Module({ imports: [UploadsModule], controllers: [UploadsController] })
export class UploadsHttpModule {}
