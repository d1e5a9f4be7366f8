import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

import { type IsolatedProgram } from '../../../src/platform/isolation/isolated-program.js';
import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { type LaunchEnd, type LaunchLimits, type LaunchSpec } from '../../../src/platform/isolation/launch-spec.js';
import { type NetworkRules } from '../../../src/platform/isolation/network/network-rules.js';
import { isDead } from '../../../src/platform/isolation/process-facts.js';
import { eventually } from '../../support/eventually.js';

const MEBIBYTE = 1024 * 1024;
const LIMITS: LaunchLimits = {
  memoryBytes: 256 * MEBIBYTE,
  tasks: 64,
  openFiles: 256,
  fileBytes: 64 * MEBIBYTE,
  scratchBytes: 16 * MEBIBYTE,
  wallMs: 60_000,
  cpuMs: 20_000,
};
