import { execFileSync } from 'node:child_process';
import { nodeLines, nodeProgram } from './node-programs.js';

describe('the programs of Node', () => {
  it('are those of the release lines that projects may have, and that of the service', () => {
    expect(nodeLines()).toEqual(expect.arrayContaining(['24', '22', '20', process.versions.node.split('.')[0]]));
    expect(nodeLines()).toEqual([...nodeLines()].sort((a, b) => Number(b) - Number(a)));
  });

  it.each(nodeLines())('run as what they are said to be: %s', (line) => {
    expect(execFileSync(nodeProgram(line)!, ['-p', 'process.versions.node'], { encoding: 'utf8' })).toMatch(new RegExp(`^${line}\\.`));
  });

  it('are not there for another release line', () => {
    expect(nodeProgram('18')).toBeUndefined();
    expect(nodeProgram('')).toBeUndefined();
  });
});
