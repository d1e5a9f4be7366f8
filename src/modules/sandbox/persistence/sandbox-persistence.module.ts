import { Module } from '@nestjs/common';
import { ExecutionsStore } from './executions.store.js';
import { PackageLocksStore } from './package-locks.store.js';

@Module({ providers: [ExecutionsStore, PackageLocksStore], exports: [ExecutionsStore, PackageLocksStore] })
export class SandboxPersistenceModule {}
