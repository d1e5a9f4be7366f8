/**
 * Jest orders files by how long they took last time, and on a new machine by their size. These take a minute or more:
 * one that begins last would be waited for alone.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = [
  'databases/operation-kills',
  'objects/objects-kills',
  'objects/model',
  'agents/laws',
  'process/stop',
  'objects/clients',
  'sandbox/lost-worker',
  'builds/disk',
  'deploys/first-deploy',
  'deploys/attached-databases',
  'builds/hostile',
  'deploys/python',
  'swarms/laws',
  'schedules/laws',
  'databases/restore-laws',
];

const rankOf = ({ path }) => {
  const rank = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rankOf(one) - rankOf(other));
  }
};
