import { PATH_OF_PACKAGES, pythonEnvironment, spoken } from './server-commands.js';

describe('spoken', () => {
  it('shows a command of a shell as it was written', () => {
    expect(spoken(['sh', '-c', `${PATH_OF_PACKAGES}next start && id`])).toBe('next start && id');
    expect(spoken(['/bin/sh', '-c', 'node a.js'])).toBe('node a.js');
    expect(spoken(['sh', '-c', `${pythonEnvironment('.packages', ':$PWD/src')}exec gunicorn app:app`])).toBe(
      'gunicorn app:app',
    );
  });

  it('shows any other command whole', () => {
    expect(spoken(['node', 'server.js'])).toBe('node server.js');
    expect(spoken(['env', 'HOST=0.0.0.0', 'node', 'server.js'])).toBe('env HOST=0.0.0.0 node server.js');
    expect(spoken(['sh', '-c', 'echo "$0"', 'name'])).toBe('sh -c echo "$0" name');
    expect(spoken(['sh', 'start.sh'])).toBe('sh start.sh');
  });
});
