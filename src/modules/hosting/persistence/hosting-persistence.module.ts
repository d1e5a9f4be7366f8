import { Module } from '@nestjs/common';
import { AliasesStore } from './aliases.store.js';
import { AppLogStore } from './app-log.store.js';
import { AppMetricsStore } from './app-metrics.store.js';
import { AppProtectionsStore } from './app-protections.store.js';
import { CustomHostsStore } from './custom-hosts.store.js';
import { HostedDeploysStore } from './hosted-deploys.store.js';
import { StoredBytesStore } from './stored-bytes.store.js';

const STORES = [
  AliasesStore,
  AppLogStore,
  AppMetricsStore,
  AppProtectionsStore,
  CustomHostsStore,
  HostedDeploysStore,
  StoredBytesStore,
];

@Module({ providers: STORES, exports: STORES })
export class HostingPersistenceModule {}
