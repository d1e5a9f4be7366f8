import { Module } from '@nestjs/common';
import { AuditLogService } from './audit-log.service.js';
import { AuditStore } from './persistence/audit.store.js';

@Module({ providers: [AuditLogService, AuditStore], exports: [AuditLogService] })
export class AuditModule {}
