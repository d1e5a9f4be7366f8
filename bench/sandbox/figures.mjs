import { readFileSync } from 'node:fs';

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export async function millisecondsOf(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function printTable(title, rows) {
  console.log(`\n${title} (load ${readFileSync('/proc/loadavg', 'utf8').split(' ', 1)[0]})`);
  console.table(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'number' ? Number(value.toFixed(2)) : value,
        ]),
      ),
    ),
  );
}

export function residentMebibytes(pid = process.pid) {
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}
