import fc from 'fast-check';
import { BuildFailed } from '../build-failed.js';
import { type DockerfilePlan, dockerfilePlan, PLATFORM } from './dockerfile.js';

const planOf = (text: string): DockerfilePlan => dockerfilePlan({ bytes: text.length, text });
const refusal = (facts: Parameters<typeof dockerfilePlan>[0]): string => {
  try {
    dockerfilePlan(facts);
    return 'accepted';
  } catch (error) {
    return error instanceof BuildFailed ? `${error.code}: ${error.message}` : String(error);
  }
};

describe('dockerfilePlan', () => {
  it('finds the arguments of all stages, each once', () => {
    const { args, notes } = planOf(
      '# a comment\nARG VERSION=22\nFROM node:${VERSION} AS a\n' +
        'ARG ONE TWO=2\narg ONE\nRUN a \\\n  # inside\n\n  && b\nCMD ["x"]\n',
    );
    expect(args).toEqual(['VERSION', 'ONE', 'TWO']);
    expect(notes).toEqual([]);
  });

  it('names arguments that look like secrets, volumes and the syntax line in notes', () => {
    const { notes } = planOf('# syntax=docker/dockerfile:1\nFROM a\nARG NPM_TOKEN\nENV KEYBOARD=us\nVOLUME /data\n');
    expect(notes).toHaveLength(3);
    expect(notes.join('\n')).toMatch(/"# syntax="[\s\S]*NPM_TOKEN looks like a secret[\s\S]*VOLUME has no effect/);
  });

  it.each([
    [
      'FROM a\nINCLUDE b',
      /^dockerfile_refused: Line 2 of the Dockerfile has the instruction INCLUDE, which is not known/,
    ],
    ['RUN a', /has no FROM instruction/],
    ['', /has no FROM instruction/],
    ['FROM a\nADD https://example.com/a.tar.gz /', /Line 2 of the Dockerfile adds from a URL/],
    ['FROM a\nADD ["git@example.com:a/b.git", "/"]', /adds from a URL/],
    ['FROM a\nRUN <<EOF\necho\nEOF', /has a here-document/],
    ['FROM a\nRUN --mount=type=secret,id=x cat', /mounts a secret, and builds have none/],
    ['FROM a\nRUN --security=insecure x', /has the option --security/],
    ['FROM --platform=windows/amd64 a', /asks for an image of windows\/amd64/],
    ['FROM --platform=linux/riscv64 a', /asks for an image of linux\/riscv64/],
    [`FROM a\n${'RUN b\n'.repeat(200)}`, /has 201 instructions/],
  ])('refuses %j', (text, message) => {
    expect(refusal({ bytes: text.length, text })).toMatch(message);
    expect(refusal({ bytes: text.length, text })).toMatch(/ See \/docs\/builds#dockerfile\.$/);
  });

  it('refuses a source without a Dockerfile, and one that is too large', () => {
    expect(refusal(null)).toMatch(/Found no Dockerfile/);
    expect(refusal({ bytes: 1_048_576, text: null })).toMatch(/Found a Dockerfile of 1048576 bytes/);
  });

  it('accepts platforms of this machine, and those that a variable names', () => {
    for (const platform of [`${PLATFORM.os}/${PLATFORM.architecture}`, '$BUILDPLATFORM'])
      expect(planOf(`FROM --platform=${platform} a`).args).toEqual([]);
  });

  it('accepts or refuses whatever it reads, and passes on plain names only', () => {
    const line = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom('FROM', 'RUN', 'ARG', 'ADD', 'ENV', 'from'), fc.string())
        .map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        if (refusal({ bytes: text.length, text }) !== 'accepted') return;
        for (const name of planOf(text).args) expect(name).toMatch(/^[A-Za-z_]\w*$/);
      }),
    );
  });
});
