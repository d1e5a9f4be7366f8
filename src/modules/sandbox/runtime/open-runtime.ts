import { existsSync } from 'node:fs';

import { Isolation } from '../../../platform/isolation/isolation.js';
import { HOST_PROGRAM, HostedRuntime } from './host/hosted-runtime.js';
import { type HostSettings } from './host/messages.js';
import { type ObservedRuntime } from './observed-runtime.js';
import { PooledRuntime } from './pooled-runtime.js';

/**
 * The runtime in a process of its own; in this one when there is no program for it, as in tests that run the source.
 */
export function openRuntime(settings: HostSettings): ObservedRuntime {
  if (existsSync(HOST_PROGRAM)) return new HostedRuntime(settings);
  return new PooledRuntime(new Isolation(settings.isolation), settings.runtime);
}
