import { Module } from '@nestjs/common';
import { HostingModule } from '../hosting.module.js';
import { HOSTING_METRICS } from '../hosting.metrics.js';
import { AliasChanges } from '../persistence/alias-changes.js';
import { AliasCache } from '../site/alias-cache.js';
import { Blobs } from '../site/blobs.js';
import { AppDoor } from './app-door.js';
import { AppProxy } from './app-proxy.js';
import { StaticFiles } from './static-files.js';

/** The way in to apps, for every process that answers callers. */
@Module({ imports: [HostingModule], providers: [AliasChanges, AliasCache, Blobs, StaticFiles, AppProxy, AppDoor, ...HOSTING_METRICS] })
export class HostingHttpModule {}
