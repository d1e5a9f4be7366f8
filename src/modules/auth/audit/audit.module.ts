import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence/persistence.module.js';
import { AuditLogService } from './audit-log.service.js';

@Module({ imports: [PersistenceModule], providers: [AuditLogService], exports: [AuditLogService] })
export class AuditModule {}
