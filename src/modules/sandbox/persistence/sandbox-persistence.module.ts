import { Module } from '@nestjs/common';
import { ArtifactsStore } from './artifacts.store.js';
import { ExecutionsStore } from './executions.store.js';
import { PackageLocksStore } from './package-locks.store.js';
import { SandboxSessionsStore } from './sandbox-sessions.store.js';

const STORES = [ArtifactsStore, ExecutionsStore, PackageLocksStore, SandboxSessionsStore];

@Module({ providers: STORES, exports: STORES })
export class SandboxPersistenceModule {}
