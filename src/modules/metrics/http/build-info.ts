import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge, register } from 'prom-client';
import { Config } from '../../../platform/config/config.js';
import { VERSION } from '../../../platform/version.js';

const NAME = 'build_info';

/** Gauges of prom-client with the suffix of a counter, which `promtool check metrics` rejects. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

@Injectable()
class BuildInfo {
  constructor(config: Config, @InjectMetric(NAME) info: Gauge) {
    info.set({ version: VERSION, node: process.version, role: config.role }, 1);
    // Several processes may be scraped as one, and the label tells them apart. A single process with all roles, as in
    // tests, needs no label.
    if (config.role !== 'all') register.setDefaultLabels({ process: config.role });
    for (const name of MISNAMED) register.removeSingleMetric(name);
  }
}

export const BUILD_INFO: Provider[] = [
  BuildInfo,
  makeGaugeProvider({
    name: NAME,
    help: 'Always 1; the labels identify the build.',
    labelNames: ['version', 'node', 'role'],
  }),
];
