import { Module } from '@nestjs/common';
import { AdmissionStore } from './admission.store.js';
import { DeployEnvironmentsStore } from './deploy-environments.store.js';
import { DeployHooksStore } from './deploy-hooks.store.js';
import { DeployKeepingStore } from './deploy-keeping.store.js';
import { DeployLogStore } from './deploy-log.store.js';
import { DeployPinsStore } from './deploy-pins.store.js';
import { DeploysStore } from './deploys.store.js';

const STORES = [
  AdmissionStore,
  DeployEnvironmentsStore,
  DeployHooksStore,
  DeployKeepingStore,
  DeployLogStore,
  DeployPinsStore,
  DeploysStore,
];

@Module({ providers: STORES, exports: STORES })
export class DeploysPersistenceModule {}
