import { Module } from '@nestjs/common';
import { ExecutionsStore } from './executions.store.js';

@Module({ providers: [ExecutionsStore], exports: [ExecutionsStore] })
export class SandboxPersistenceModule {}
