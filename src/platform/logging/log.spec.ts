import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openLog } from './log.js';

describe('openLog', () => {
  it('writes a preformatted line like any other', () => {
    const lines: string[] = [];
    const log = openLog(
      { logLevel: 'info', role: 'api' },
      {
        write: (line) => {
          lines.push(line);
        },
      },
    );
    log.info({ status: 200, path: '/' });
    log.infoLine('"status":200,"path":"/"');
    const [one, other] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(Object.keys(other!)).toEqual(Object.keys(one!));
    expect({ ...other, time: '' }).toEqual({ ...one, time: '' });
    expect(lines.join('')).toMatch(/^([^\n]+\n){2}$/);
  });

  it('omits a preformatted line when the level is higher', () => {
    const write = jest.fn();
    openLog({ logLevel: 'warn', role: 'api' }, { write }).infoLine('"status":200');
    expect(write).not.toHaveBeenCalled();
  });

  it.each(['process.exit(0)', 'throw new Error("it ends")', ''])(
    'has written every line, in order, when the process has ended by: %s',
    (end) => {
      const script = `
      require(${JSON.stringify(join(process.cwd(), 'test/support/typescript-hook.cjs'))});
      const { openLog } = require(${JSON.stringify(join(process.cwd(), 'src/platform/logging/log.ts'))});
      const log = openLog({ logLevel: 'info', role: 'api' });
      for (let n = 0; n < 2000; n++) n % 2 ? log.info({ n, text: 'ä' }) : log.infoLine('"n":' + n);
      ${end}`;
      const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', maxBuffer: 10_000_000 });
      const numbers = stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { n: number }).n);
      expect(numbers).toEqual(Array.from({ length: 2000 }, (_, n) => n));
    },
    60_000,
  );
});
