import { explainFailedStart } from './prerequisites.js';

describe('why isolation could not start', () => {
  it('is a limit of processes, and not a permission, when the system has no more for the user', () => {
    const detail = 'bwrap: Creating new namespace failed: Resource temporarily unavailable';
    expect(explainFailedStart(detail)).toEqual([expect.stringMatching(/^room for more processes: .*--pids-limit/)]);
  });

  it('is the permission for /proc when it cannot be mounted', () => {
    const detail = "bwrap: Can't mount proc on /newroot/proc";
    expect(explainFailedStart(detail)).toEqual([expect.stringMatching(/mount \/proc/)]);
  });
});
