interface Family {
  readonly head: string[];
  readonly series: string[];
}

/**
 * Merges the metrics of several processes in the text format of Prometheus. A metric of more than one process is
 * described once, followed by all its series.
 */
export function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const text of texts) {
    let family: Family | undefined;
    let isNew = false;
    for (const line of text.split('\n')) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        if (line.startsWith('# HELP')) {
          isNew = !families.has(name);
          family = families.get(name) ?? { head: [], series: [] };
          families.set(name, family);
        }
        if (isNew) family?.head.push(line);
      } else if (line !== '') {
        family?.series.push(line);
      }
    }
  }
  return [...families.values()].map(({ head, series }) => `${[...head, ...series].join('\n')}\n`).join('\n');
}
