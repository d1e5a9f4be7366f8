import { Module } from '@nestjs/common';
import { PartitionsModule } from '../../../platform/partitions/partitions.module.js';
import { AuditLogPartitions } from './audit-log-partitions.js';

@Module({ imports: [PartitionsModule], providers: [AuditLogPartitions] })
export class AuditJobsModule {}
