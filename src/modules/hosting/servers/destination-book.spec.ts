import type { HostingSettings } from '../hosting.settings.js';
import { parseDestinations } from '../settings/destinations.js';
import { DestinationBook } from './destination-book.js';

const HOUR_MS = 3_600_000;

function bookOf(names: Record<string, readonly string[] | undefined>, own = 'api.example.com:443'): DestinationBook {
  const settings: Partial<HostingSettings> = {
    appsNetworkAllowed: parseDestinations('db.internal:5432, 10.0.0.9')!,
    appsNetworkFreeHosts: parseDestinations('free.example.com')!,
    appsNetworkRefused: ['203.0.114.0/24'],
    ownDestination: parseDestinations(own)![0]!,
  };
  return new DestinationBook(settings as HostingSettings, (name) =>
    names[name] === undefined ? Promise.reject(new Error('no answer')) : Promise.resolve(names[name]),
  );
}

describe('DestinationBook', () => {
  it('names the addresses behind the lists, and the machine as refused', async () => {
    const book = bookOf({
      'db.internal': ['10.0.0.5'],
      'free.example.com': ['8.8.4.4', '8.8.8.8'],
      'api.example.com': ['8.1.1.1', '10.0.0.1'],
    });
    await book.lookUp(0);
    const rules = book.rules('listed');
    expect(rules.exempt).toEqual([
      { address: '10.0.0.5', port: 5432 },
      { address: '10.0.0.9', port: null },
      { address: '8.1.1.1', port: 443 },
    ]);
    expect(rules.listed.map(({ address }) => address)).toEqual(['8.8.4.4', '8.8.8.8', '8.1.1.1', '10.0.0.1']);
    expect(rules.refused).toEqual(expect.arrayContaining(['127.0.0.1', '203.0.114.0/24']));
    expect(book.rules('public').listed).toEqual([]);
    expect(book.addresses('db.internal', 'public')).toEqual(['10.0.0.5']);
    expect(book.addresses('free.example.com', 'listed')).toEqual(['8.8.4.4', '8.8.8.8']);
    expect(book.addresses('free.example.com', 'public')).toBeNull();
    expect(book.addresses('other.example.com', 'listed')).toBeNull();
  });

  it('keeps earlier addresses of a name for an hour, and all of them while it does not answer', async () => {
    const names: Record<string, readonly string[] | undefined> = { 'free.example.com': ['8.0.0.1'] };
    const book = bookOf(names);
    const known = (): readonly string[] | null => book.addresses('free.example.com', 'listed');
    await book.lookUp(0);
    names['free.example.com'] = ['8.0.0.2'];
    await book.lookUp(1_000);
    expect(known()).toEqual(['8.0.0.1', '8.0.0.2']);
    names['free.example.com'] = undefined;
    await book.lookUp(10 * HOUR_MS);
    expect(known()).toEqual(['8.0.0.1', '8.0.0.2']);
    names['free.example.com'] = ['8.0.0.3'];
    await book.lookUp(10 * HOUR_MS);
    expect(known()).toEqual(['8.0.0.3']);
  });

  it('bounds the addresses of a name', async () => {
    const names = { 'free.example.com': Array.from({ length: 100 }, (_, index) => `8.0.0.${index}`) };
    const book = bookOf(names);
    await book.lookUp(0);
    expect(book.addresses('free.example.com', 'listed')).toHaveLength(32);
  });

  it('lets names lead to public and to exempt addresses only', () => {
    const book = bookOf({});
    const rules = book.rules('public');
    const may = (address: string): boolean => book.mayReach(address, rules);
    expect(['8.8.8.8', '10.0.0.9'].map(may)).toEqual([true, true]);
    const inside = ['10.0.0.5', '127.0.0.1', '169.254.169.254', '100.64.0.1', '203.0.114.9', '0.0.0.0'];
    expect(inside.map(may)).toEqual(inside.map(() => false));
  });
});
