import { existsSync } from 'node:fs';

import { Isolation } from '../../../platform/isolation/isolation.js';
import { HOST_PROGRAM, HostedRuntime } from './host/hosted-runtime.js';
import { type HostSettings } from './host/messages.js';
import { type ObservedRuntime } from './observed-runtime.js';
import { PooledRuntime } from './pooled-runtime.js';

/** Opens the runtime in a process of its own, or in this process when the host is not compiled, as in most tests. */
export function openRuntime(settings: HostSettings): ObservedRuntime {
  if (existsSync(HOST_PROGRAM)) return new HostedRuntime(settings);
  return new PooledRuntime(new Isolation(settings.isolation), settings.runtime);
}
