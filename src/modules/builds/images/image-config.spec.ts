import fc from 'fast-check';
import { BuildFailed } from '../build-failed.js';
import { PLATFORM } from './dockerfile.js';
import { imageConfigOf, serverOfImage } from './image-config.js';

const notes: string[] = [];
const serverOf = (
  config: object,
  more: object = {},
  set: Parameters<typeof serverOfImage>[1] = {},
): ReturnType<typeof serverOfImage> => {
  notes.length = 0;
  return serverOfImage(imageConfigOf({ ...PLATFORM, config, ...more }), set, (text) => {
    notes.push(text);
  });
};

describe('serverOfImage', () => {
  it('joins ENTRYPOINT and CMD, and takes the port of EXPOSE', () => {
    expect(
      serverOf({
        Entrypoint: ['/server'],
        Cmd: ['--fast'],
        Env: ['A=1=2', 'bad name=x'],
        WorkingDir: '/srv/app/',
        ExposedPorts: { '8080/tcp': {}, '53/udp': {}, '9090': {} },
      }),
    ).toEqual({
      command: ['/server', '--fast'],
      directory: 'srv/app',
      image: { environment: { A: '1=2' }, port: 8080 },
    });
    expect(notes).toEqual([]);
  });

  it('takes the port of PORT before that of EXPOSE, and says so when neither can be used', () => {
    expect(serverOf({ Cmd: ['a'], Env: ['PORT=5000'], ExposedPorts: { '8080/tcp': {} } }).image.port).toBe(5000);
    expect(serverOf({ Cmd: ['a'], ExposedPorts: { '80/tcp': {} } }).image.port).toBe(3000);
    expect(notes).toEqual([expect.stringContaining('exposes port 80')]);
  });

  it('starts by the start command of the project, whatever the image says', () => {
    const set = { startCommand: 'exec ./run', healthPath: '/up', startTimeoutMs: 5_000 };
    expect(serverOf({ Cmd: ['a'] }, {}, set)).toMatchObject({
      command: ['/bin/sh', '-c', 'exec ./run'],
      healthPath: '/up',
      startTimeoutMs: 5_000,
    });
  });

  it.each<[object, object, RegExp]>([
    [{}, {}, /neither a CMD nor an ENTRYPOINT/],
    [{ Cmd: ['a'] }, { os: 'windows' }, /The image is for windows\//],
    [{ Cmd: ['a'] }, { architecture: 'riscv64' }, /The image is for linux\/riscv64/],
    [{ Cmd: ['a'], User: 'web:web' }, { users: ['root'] }, /USER web, and \/etc\/passwd of the image has no such user/],
    [{ Cmd: ['a'], WorkingDir: '/proc/self' }, {}, /working directory \/proc\/self/],
    [{ Cmd: ['a'], WorkingDir: '/a/../../b' }, {}, /working directory/],
    [{ Cmd: ['a'], Env: Array.from({ length: 201 }, (_, at) => `A${at}=1`) }, {}, /has 201 variables/],
  ])('refuses %j %j', (config, more, message) => {
    expect(() => serverOf(config, more)).toThrow(message);
  });

  it('accepts users that exist and users by number', () => {
    expect(serverOf({ Cmd: ['a'], User: 'web' }, { users: ['web'] }).command).toEqual(['a']);
    expect(serverOf({ Cmd: ['a'], User: '1000:1000' }).command).toEqual(['a']);
  });

  it('never fails in another way, whatever the sandbox reports', () => {
    const config = fc.record(
      {
        Cmd: fc.anything(),
        Entrypoint: fc.anything(),
        Env: fc.anything(),
        WorkingDir: fc.anything(),
        ExposedPorts: fc.anything(),
        User: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(config, fc.anything()), (raw) => {
        try {
          const { command, directory, image } = serverOf(raw as object);
          expect([...command, directory].join('')).not.toContain('\0');
          expect(directory.split('/')).not.toContain('..');
          expect(image.port).toBeGreaterThanOrEqual(1_024);
        } catch (error) {
          expect(error).toBeInstanceOf(BuildFailed);
        }
      }),
    );
  });
});
