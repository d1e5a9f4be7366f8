import { execFileSync, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { moreSettings } from './git-settings.js';
import { quoted, shellCommand, WaitingShell } from './waiting-shell.js';

const FILE_BYTES = 1_048_576;

function waitingShell(): WaitingShell {
  const { file, args, options } = shellCommand(undefined);
  return new WaitingShell(spawn(file, args, options));
}

describe('a shell that waits for its work', () => {
  it('runs a program with its environment, its input and the settings of git', async () => {
    const shell = waitingShell();
    expect(shell.isReady).toBe(true);
    const child = shell.begin({
      args: [
        '/bin/sh',
        '-c',
        'cat; printf "|%s" "$1" "$PLACE"; git config receive.maxInputSize; ulimit -f',
        'sh',
        "a'b\nc",
      ],
      fileBytes: FILE_BYTES,
      environment: { ...moreSettings({ 'receive.maxInputSize': '7' }), PLACE: 'x $(y) "z"' },
    });
    child.stdin.end('in');
    expect(await text(child.stdout)).toBe(`in|a'b\nc|x $(y) "z"7\n${FILE_BYTES / 512}\n`);
  });

  it('ends when it gets no work', async () => {
    const shell = waitingShell();
    shell.end();
    while (shell.isReady) await new Promise(setImmediate);
  });

  it('refuses what no shell can have', () => {
    const shell = waitingShell();
    const work = { args: ['true'], fileBytes: FILE_BYTES };
    expect(() => shell.begin({ ...work, environment: { 'A;B': '' } })).toThrow('the name of a variable');
    expect(() => shell.begin({ ...work, args: ['\0'], environment: {} })).toThrow('NUL');
    shell.end();
  });

  it('gets every word as it is', () => {
    const word = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom("'", '"', '\\', '\n', '$', '`', 'a', ' ', ';', '*', '%'), { maxLength: 12 })
        .map((all) => all.join('')),
    );
    const words = fc.sample(word, 200).map((each) => each.replaceAll('\0', ''));
    const script = `nl='\n'\nprintf '%s\\0' ${words.map(quoted).join(' ')}`;
    const printed = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
    expect(printed.split('\0').slice(0, -1)).toEqual(words);
    expect(words.map(quoted).join('')).not.toContain('\n');
  });
});
