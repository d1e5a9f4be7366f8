'use strict';
// Runs inside the sandbox. Checks the types of a program before it starts, with TypeScript's own compiler.

const { relative } = require('node:path');

const DIRECTORY = '/tmp';
/** No file has this path. */
const JSX_TYPES = '/runtime/jsx.d.ts';
/** There are no packages, so nothing else says which elements there are. */
const JSX = 'declare namespace JSX { interface IntrinsicElements { [name: string]: any } }';
const MAX_MESSAGE_LENGTH = 1_000;
/** The host reads no more than 64 KiB of what a run reports. */
const MAX_REPORT_BYTES = 40_000;

/** The errors of a program's types, in the lines and columns of its files. Both count from 1. */
class TypeFaults extends Error {
  /** @param diagnostics at least one. */
  constructor(diagnostics) {
    const [{ code, message }] = diagnostics;
    super(`${code}: ${message}`);
    this.diagnostics = diagnostics;
  }

  /** As the compiler prints them. */
  get shown() {
    return this.diagnostics.map(lineOf).join('\n');
  }
}

/**
 * @param path of the program, whose source is not in a file.
 * @throws {TypeFaults}
 */
function checkTypes({ compiler, path, source, experimentalDecorators, libraries }) {
  const ts = require(compiler);
  const options = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // A program is a module also when it neither imports nor exports, so its names are its own.
    moduleDetection: ts.ModuleDetectionKind.Force,
    lib: ['lib.esnext.d.ts'],
    types: ['node'],
    typeRoots: [libraries],
    jsx: ts.JsxEmit.Preserve,
    experimentalDecorators,
    strict: true,
    allowJs: true,
    resolveJsonModule: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = hostOf(ts, options, { [path]: source, [JSX_TYPES]: JSX });
  const program = ts.createProgram([path, JSX_TYPES], options, host);
  const found = ts
    .getPreEmitDiagnostics(program)
    .filter(({ category }) => category === ts.DiagnosticCategory.Error)
    .map((diagnostic) => diagnosticOf(ts, diagnostic, path));
  if (found.length > 0) throw new TypeFaults(asManyAsFit(found));
}

/** Some files are in memory only. */
function hostOf(ts, options, texts) {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => Object.hasOwn(texts, path) || fileExists(path);
  host.readFile = (path) => (Object.hasOwn(texts, path) ? texts[path] : readFile(path));
  return host;
}

function diagnosticOf(ts, { file, start, code, messageText }, main) {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n').slice(0, MAX_MESSAGE_LENGTH);
  if (file === undefined || start === undefined) return { code: `TS${code}`, message };
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  const name = file.fileName === main ? 'main.ts' : relative(DIRECTORY, file.fileName);
  return { file: name, line: line + 1, column: character + 1, code: `TS${code}`, message };
}

function asManyAsFit([first, ...others]) {
  const kept = [first];
  let bytes = 0;
  for (const diagnostic of others) {
    bytes += Buffer.byteLength(JSON.stringify(diagnostic));
    if (bytes > MAX_REPORT_BYTES) break;
    kept.push(diagnostic);
  }
  return kept;
}

const lineOf = ({ file, line, column, code, message }) =>
  `${file === undefined ? '' : `${file}(${line},${column}): `}error ${code}: ${message}`;

module.exports = { TypeFaults, checkTypes };
