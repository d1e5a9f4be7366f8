/** Decides which test files run, and in which order. */
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Jest orders files by how long they took last time, and on a new machine by their size. These take a minute or more:
 * one that begins last would be waited for alone.
 */
const LONGEST = [
  'process/stop',
  'builds/hostile',
  'process/start',
  'databases/operation-kills',
  'process/backup',
  'process/processes',
  'agents/laws',
  'repositories/git',
  'contract/cli-agents',
  'contract/cli',
  'databases/restore-laws',
  'process/roles',
  'builds/builds',
  'roles/embedded-postgres',
  'process/kills',
  'hosting/servers',
  'deploys/lost-worker',
  'objects/objects-kills',
  'objects/clients',
  'builds/disk',
  'contract/cli-projects',
  'sandbox/lost-worker',
  'ai/laws',
  'agents/data-tools',
  'deploys/attached-databases',
  'contract/cli-storage',
  'process/hosted-apps',
  'builds/dockerfile',
];

/**
 * They kill processes, fill disks, try random histories, start a program for each command, or open many pages in a
 * browser: for twenty seconds to five minutes each. Neighbours in the list are of one kind, and run for other commits.
 */
const LONG = [
  'process/stop',
  'process/backup',
  'process/processes',
  'process/kills',
  'process/hosted-apps',
  'process/roles',
  'process/servers',
  'process/full-disk',
  'process/start',
  'deploys/lost-worker',
  'sandbox/lost-worker',
  'sandbox/session-workers',
  'roles/embedded-redis',
  'roles/embedded-postgres',
  'databases/operation-kills',
  'databases/restore-laws',
  'objects/objects-kills',
  'databases/engine-failures',
  'databases/databases-kills',
  'databases/engine-kills',
  'databases/read-only-attacks',
  'databases/read-only-wire-attacks',
  'databases/disk-bounds',
  'databases/inspection-attacks',
  'databases/swap',
  'databases/restore',
  'databases/databases',
  'databases/server-clients',
  'databases/backups',
  'databases/backups-s3',
  'databases/operations',
  'databases/query',
  'databases/engine-rest',
  'databases/engine',
  'databases/branches',
  'databases/secrets',
  'databases/deletion',
  'databases/quotas',
  'databases/wire',
  'databases/attachments',
  'deploys/attached-databases',
  'agents/laws',
  'agents/data-tools',
  'agents/service-tools',
  'agents/agent-secrets',
  'ai/laws',
  'ai/retention',
  'billing/laws',
  'credits/laws',
  'schedules/laws',
  'sso/connections',
  'sso/required',
  'scim/people',
  'swarms/laws',
  'idempotency/lost-connections',
  'metering/kill',
  'builds/disk',
  'builds/hostile',
  'builds/builds',
  'builds/dockerfile',
  'repositories/git',
  'hosting/proxy-fuzz',
  'hosting/servers',
  'objects/clients',
  'objects/model',
  'objects/clients-of-drivers',
  'features/features',
  'contract/cli-agents',
  'contract/cli',
  'contract/cli-projects',
  'contract/cli-storage',
  'contract/cli-databases',
  'contract/cli-apps',
  'contract/client-types',
  'auth/instances',
  'sandbox/corpus',
  'sandbox/packages',
  'sandbox/turns',
  'builds/package-layers',
  'contract/cli-sessions',
  'platform/redis-sentinel',
  'platform/database-tls',
  'web/newcomer',
  'web/attached',
  'web/storage',
  'web/ai',
  'web/forms',
  'web/database-journey',
  'web/public-pages',
  'web/hardy',
  'web/databases',
  'web/agents',
  'web/money',
  'web/providers',
  'frameworks/frameworks',
  'templates/templates',
  'frameworks/network',
  'templates/nodes',
  'templates/ai-chat',
  'web/notebook-packages',
];

/**
 * LONG_TESTS, such as `1/6`, leaves out all but a sixth of the long files: CI runs those of its commit, because all
 * of them take most of an hour. The place in the list decides, so that a second attempt has what has failed.
 */
function sampled(tests) {
  const [turn, turns] = (process.env.LONG_TESTS || '1/1').split('/').map(Number);
  const left = new Set(LONG.filter((_, index) => index % turns !== turn % turns));
  const nameOf = ({ path }) => path.slice(path.lastIndexOf('/test/') + '/test/'.length, -'.test.ts'.length);
  const leftOut = tests.map(nameOf).filter((name) => left.has(name));
  if (leftOut.length > 0) console.log(`Left out by LONG_TESTS: ${leftOut.sort().join(', ')}`);
  return tests.filter((test) => !left.has(nameOf(test)));
}

const rankOf = ({ path }) => {
  const rank = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
};

module.exports = class TestSequencer extends Sequencer {
  sort(tests) {
    return sampled([...super.sort(tests)]).sort((one, other) => rankOf(one) - rankOf(other));
  }
};
