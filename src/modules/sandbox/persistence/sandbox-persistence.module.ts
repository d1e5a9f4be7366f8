import { Module } from '@nestjs/common';
import { ArtifactsStore } from './artifacts.store.js';
import { ExecutionsStore } from './executions.store.js';

@Module({ providers: [ArtifactsStore, ExecutionsStore], exports: [ArtifactsStore, ExecutionsStore] })
export class SandboxPersistenceModule {}
