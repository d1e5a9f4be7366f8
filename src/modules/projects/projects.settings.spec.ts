import { readSettings } from '../../platform/config/settings.js';
import { ProjectsSettings } from './projects.settings.js';

const load = (source: NodeJS.ProcessEnv): ProjectsSettings =>
  readSettings([ProjectsSettings], source).of(ProjectsSettings);

describe('ProjectsSettings', () => {
  it('read the hosts that repositories may also come from', () => {
    expect(load({}).gitAllowedHosts).toEqual([]);
    expect(load({ GIT_ALLOWED_HOSTS: 'Git.Internal, 127.0.0.1:8418' }).gitAllowedHosts).toEqual([
      'git.internal',
      '127.0.0.1:8418',
    ]);
    for (const bad of ['http://git.internal', 'user@git.internal', 'a host', '[::1]'])
      expect(() => load({ GIT_ALLOWED_HOSTS: bad })).toThrow('GIT_ALLOWED_HOSTS');
  });
});
