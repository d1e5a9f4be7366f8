import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import type { Rendered } from './helm.js';

/** From here, the packages are found. */
const HERE = join(PROJECT_ROOT, 'test/helm/tools');

/** What the schemas say: formats, ranges, choices, missing fields. They let fields through that do not exist. */
export function faultsBySchema(objects: readonly Rendered[]): string[] {
  const answer = execFileSync(process.execPath, [join(HERE, 'validate.mjs')], {
    input: JSON.stringify(objects),
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 16 * 1_048_576,
  });
  return JSON.parse(answer) as string[];
}

/** What the types say, which are made from the same schemas: fields that do not exist, wherever they are. */
export function faultsByType(objects: readonly Rendered[]): string[] {
  const file = join(HERE, 'rendered.ts');
  const text = objects.map((object, index) => declarationOf(object, index)).join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => path === file || disk.fileExists(path),
    readFile: (path) => (path === file ? text : disk.readFile(path)),
    getSourceFile: (path, ...others) =>
      path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022) : disk.getSourceFile(path, ...others),
  };
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file)!;
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText, start = 0 }) => {
      const [, line = ''] = /\n\/\/ (.*)\n[^\n]*$/.exec(text.slice(0, start)) ?? [];
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    },
  );
}

function declarationOf(object: Rendered, index: number): string {
  const { apiVersion, kind, metadata } = object;
  const name = `${kind}${index}`;
  return [
    `import type { I${kind} as ${name} } from '${packageOf(apiVersion)}/${apiVersion}/${kind}';`,
    `// ${kind}/${metadata.name}`,
    `export const object${index}: ${name} = ${JSON.stringify(object)};`,
  ].join('\n');
}

function packageOf(apiVersion: string): string {
  if (apiVersion.startsWith('keda.sh/')) return '@kubernetes-models/keda';
  if (apiVersion.startsWith('monitoring.coreos.com/')) return '@kubernetes-models/prometheus-operator';
  return 'kubernetes-models';
}
