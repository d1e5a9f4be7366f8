import { Module } from '@nestjs/common';
import { S3Module } from '../s3/s3.module.js';
import { S3Path } from './s3-path.js';

@Module({ imports: [S3Module], providers: [S3Path] })
export class S3HttpModule {}
