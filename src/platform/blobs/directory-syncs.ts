import { close as closeDescriptor, fsync as syncDescriptor, open as openDescriptor } from 'node:fs';
import { promisify } from 'node:util';

const opened = promisify(openDescriptor) as (path: string, flags: string) => Promise<number>;
const closed = promisify(closeDescriptor);
const synced = promisify(syncDescriptor);

interface Turns {
  current: Promise<void>;
  next: Promise<void> | undefined;
}

/**
 * Makes the names in directories survive a power loss. The bytes of a file that is synced can still be without their
 * name. One sync serves everybody who waits when it begins.
 */
export class DirectorySyncs {
  private readonly turns = new Map<string, Turns>();

  /** Resolves when the names that the directory has now are safe. */
  sync(directory: string): Promise<void> {
    const turns = this.turns.get(directory);
    if (turns === undefined) return this.begin(directory);
    // The one that is under way may have begun before the name was there.
    const go = (): Promise<void> => this.begin(directory);
    return (turns.next ??= turns.current.then(go, go));
  }

  protected async syncNow(directory: string): Promise<void> {
    const fd = await opened(directory, 'r');
    try {
      await synced(fd);
    } finally {
      await closed(fd);
    }
  }

  private begin(directory: string): Promise<void> {
    const current = this.syncNow(directory);
    const turns: Turns = { current, next: undefined };
    this.turns.set(directory, turns);
    const end = (): void => {
      if (turns.next === undefined) this.turns.delete(directory);
    };
    current.then(end, end);
    return current;
  }
}
