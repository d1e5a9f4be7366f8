/** Runs the work for each item, several at once. Stops taking items at the first failure, and throws it. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const active = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const start = (item: T): void => {
    const done = work(item)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => active.delete(done));
    active.add(done);
  };
  for await (const item of items) {
    start(item);
    if (active.size >= atOnce) await Promise.race(active);
    if (failures.length > 0) break;
  }
  await Promise.all(active);
  if (failures.length > 0) throw failures[0];
}
