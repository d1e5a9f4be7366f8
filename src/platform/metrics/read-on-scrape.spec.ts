import { Gauge, Registry } from 'prom-client';
import type { Log } from '../logging/log.js';
import { readOnScrape } from './read-on-scrape.js';

describe('readOnScrape', () => {
  const registry = new Registry();
  const gauge = (name: string): Gauge => new Gauge({ name, help: name, registers: [registry] });
  const warn = jest.fn();
  const log = { warn } as unknown as Log;

  beforeEach(() => {
    registry.clear();
    warn.mockReset();
  });

  it('reads once for all gauges that one reading sets, on each scrape', async () => {
    const [one, other] = [gauge('one'), gauge('other')];
    let readings = 0;
    const read = async (): Promise<void> => {
      await Promise.resolve();
      readings += 1;
      one.set(readings);
      other.set(10 * readings);
    };
    readOnScrape({ gauges: [one, other], read, log });
    expect(await registry.metrics()).toMatch(/^one 1$[^]*^other 10$/m);
    expect(await registry.metrics()).toMatch(/^one 2$[^]*^other 20$/m);
    expect(readings).toBe(2);
  });

  it('keeps the values of a reading that fails and all others, and logs the failure once until it works', async () => {
    const [failing, working] = [gauge('failing'), gauge('working')];
    let count = 0;
    let isDown = false;
    const readFailing = (): Promise<void> => {
      if (isDown) return Promise.reject(new Error('down'));
      failing.set(++count);
      return Promise.resolve();
    };
    const readWorking = (): Promise<void> => {
      working.set(++count);
      return Promise.resolve();
    };
    readOnScrape({ gauges: [failing], read: readFailing, log });
    readOnScrape({ gauges: [working], read: readWorking, log });
    expect(await registry.metrics()).toMatch(/^failing 1$[^]*^working 2$/m);
    isDown = true;
    expect(await registry.metrics()).toMatch(/^failing 1$[^]*^working 3$/m);
    expect(await registry.metrics()).toMatch(/^failing 1$[^]*^working 4$/m);
    expect(warn).toHaveBeenCalledTimes(1);
    isDown = false;
    expect(await registry.metrics()).toMatch(/^failing 5$/m);
    isDown = true;
    await registry.metrics();
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('survives a reading that throws before it waits', async () => {
    const thrown = gauge('thrown');
    const read = (): Promise<void> => {
      throw new Error('at once');
    };
    readOnScrape({ gauges: [thrown], read, log });
    expect(await registry.metrics()).toMatch(/^thrown 0$/m);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
