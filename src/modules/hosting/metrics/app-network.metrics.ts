import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import { AppServersService } from '../app-servers.service.js';

const SENT = 'app_network_sent_bytes_total';
const RECEIVED = 'app_network_received_bytes_total';
const REFUSALS = 'app_network_refusals_total';

/** What the servers of all apps of this process exchange with the network. Single apps are not in the labels. */
@Injectable()
class AppNetworkMetrics {
  constructor(
    servers: AppServersService,
    @InjectMetric(SENT) sent: Counter,
    @InjectMetric(RECEIVED) received: Counter,
    @InjectMetric(REFUSALS) refusals: Counter,
  ) {
    const report = (counter: Counter, value: () => number): void => {
      Object.assign(counter, {
        collect: () => {
          counter.reset();
          counter.inc(value());
        },
      });
    };
    report(sent, () => servers.networkTotals.sentBytes);
    report(received, () => servers.networkTotals.receivedBytes);
    report(refusals, () => servers.networkTotals.refusals);
  }
}

export const APP_NETWORK_METRICS: Provider[] = [
  AppNetworkMetrics,
  makeCounterProvider({ name: SENT, help: 'Bytes that app servers sent to the network, updated every 30 seconds.' }),
  makeCounterProvider({
    name: RECEIVED,
    help: 'Bytes that app servers received from the network, updated every 30 seconds.',
  }),
  makeCounterProvider({
    name: REFUSALS,
    help: 'Packets of app servers to hosts that they may not reach, or above their limits.',
  }),
];
