'use strict';
// Runs inside the isolation of a session: a Node that keeps its variables from run to run, as a notebook does. Each run
// is a cell. The agent starts it, and trusts it no more than the code of the session.

const fs = require('node:fs');
const Module = require('node:module');
const net = require('node:net');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');
const vm = require('node:vm');

const CONTROL = 3;
const HOME = '/session';
const TEXT_LIMIT = 8_192;
const PLAIN_LIMIT = 65_536;
const CELLS_KEPT = 500;
/** O_TMPFILE: a file without a name. */
const TEMPORARY_FILE = 0o20000000 | fs.constants.O_DIRECTORY;
const INTERNAL_FRAME = /^ {4}at .*(?:node:|\/runtime\/session-node\.cjs)/;

const { language, typescript: typescriptProgram, transformer, compiler, parser, options } = JSON.parse(process.argv[2]);
const acorn = require(parser);

/** The names under which cells find what a module would have. */
const IMPORT = Symbol.for('session.import');
const META = Symbol.for('session.meta');

for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);

/** Loaded for TypeScript only. */
class Compiler {
  constructor() {
    const { TypeScript, SourceFault, TYPESCRIPT } = require(typescriptProgram);
    this.SourceFault = SourceFault;
    this.typescript = new (class extends TypeScript {
      byTransformer(path, source) {
        const { experimental_decorators: isLegacy = false, jsx = 'react' } = this.options;
        const transformAs = (lang) =>
          this.transformer.transformSync(path, source, {
            lang,
            sourceType: 'module',
            sourcemap: true,
            decorator: { legacy: isLegacy },
            jsx: { runtime: jsx === 'react-jsx' ? 'automatic' : 'classic', development: false },
            helpers: { mode: 'External' },
            // A later cell may use what this one imports.
            typescript: { onlyRemoveTypeImports: true },
          });
        const isFault = ({ errors }) => errors.some(({ severity }) => severity === 'Error');
        const first = transformAs('ts');
        if (!isFault(first)) return first;
        const second = transformAs('tsx');
        return isFault(second) ? first : second;
      }
    })({ transformer, compiler });
    this.typescript.options = options;
    this.typescript.warmUp();
    Module.registerHooks({
      load: (url, context, next) =>
        url.startsWith(`file://${HOME}/`) && TYPESCRIPT.test(url)
          ? this.typescript.load(fileURLToPath(url))
          : next(url, context),
    });
  }

  /** Returns the code and its source map. */
  compile(path, source) {
    try {
      const { code, map } = this.typescript.transform(path, source);
      return { code, map };
    } catch (error) {
      if (!(error instanceof this.SourceFault)) throw error;
      const [, message, line, column] = /^([^]*) \(.*:(\d+):(\d+)\)$/.exec(error.message) ?? [null, error.message];
      throw new CellFault({ message, stack: error.stack.replace(error.message, message), line, column });
    }
  }
}

/** A syntax error, in the lines of the cell. */
class CellFault extends SyntaxError {
  constructor({ message, stack, line, column }) {
    super(message);
    this.stack = stack;
    this.position = { line: Number(line), column: Number(column) };
  }
}

/**
 * Turns a cell into a script whose variables are those of the session: declarations at its top become global, imports
 * become calls, and its last expression becomes its value. Lines stay where they are.
 */
class Cell {
  constructor(code) {
    this.code = code;
    this.edits = [];
    this.names = new Set();
    /** What functions need before everything else. */
    this.hoisted = '';
    const tree = parse(code);
    if (code.startsWith('#!')) this.edits.push({ at: 0, to: 2, text: '//' });
    this.start = 0;
    for (const node of tree.body) if (node.directive !== undefined) this.start = node.end;
    const last = tree.body.at(-1);
    for (const node of tree.body) this.top(node, node === last);
    visit(tree, (node) => this.inner(node));
  }

  /** The script, and how many characters precede the code in its first line. */
  get script() {
    const declared = [...this.names].join(', ');
    const before = `${declared === '' ? '' : `var ${declared}; `}(async () => {`;
    const edits = [...this.edits];
    if (this.hoisted !== '') edits.push({ at: this.start, to: this.start, text: `;${this.hoisted}` });
    edits.sort((one, other) => one.at - other.at || one.to - other.to);
    let source = before;
    let at = 0;
    const pieces = [];
    const copy = (to) => {
      pieces.push({ from: source.length, at });
      source += this.code.slice(at, to);
    };
    for (const edit of edits) {
      if (edit.at < at) continue;
      copy(edit.at);
      source += edit.text;
      at = edit.to;
    }
    copy(this.code.length);
    return { source: `${source}\n})()`, positions: new Positions(source, this.code, pieces) };
  }

  replace(node, text) {
    const { start: at, end: to } = node;
    // What follows stays in its line.
    const lines = this.code.slice(at, to).split('\n').length - text.split('\n').length;
    this.edits.push({ at, to, text: text + '\n'.repeat(Math.max(0, lines)) });
  }

  insert(at, text) {
    this.edits.push({ at, to: at, text });
  }

  blank(at, to) {
    this.edits.push({ at, to, text: this.code.slice(at, to).replace(/[^\n]/g, ' ') });
  }

  top(node, isLast) {
    switch (node.type) {
      case 'VariableDeclaration':
        return this.variables(node);
      case 'FunctionDeclaration':
        return this.named(node.id.name);
      case 'ClassDeclaration':
        this.names.add(node.id.name);
        this.insert(node.start, `${node.id.name}=`);
        return this.insert(node.end, ';');
      case 'ImportDeclaration':
        return this.imports(node);
      case 'ExportNamedDeclaration':
        if (node.declaration === null) return this.replace(node, ';');
        this.blank(node.start, node.declaration.start);
        return this.top(node.declaration, false);
      case 'ExportDefaultDeclaration':
        return this.exported(node, isLast);
      case 'ExportAllDeclaration':
        return this.replace(node, ';');
      case 'ExpressionStatement':
        if (isLast && node.directive === undefined) this.value(node);
        else if (isLast) this.insert(node.end, `;return {value: ${node.expression.raw}};`);
    }
  }

  value(statement) {
    const { start, end } = statement;
    this.insert(start, ';return {value: (');
    if (this.code[end - 1] === ';') this.edits.push({ at: end - 1, to: end, text: ')};' });
    else this.insert(end, ')};');
  }

  named(name) {
    this.names.add(name);
    this.hoisted += `globalThis[${JSON.stringify(name)}]=${name};`;
  }

  exported(node, isLast) {
    const { declaration } = node;
    this.blank(node.start, declaration.start);
    if (declaration.type.endsWith('Declaration') && declaration.id !== null) return this.top(declaration, false);
    if (!declaration.type.endsWith('Declaration') && isLast)
      return this.value({ start: declaration.start, end: node.end });
    this.insert(declaration.start, '(');
    return this.insert(declaration.end, ')');
  }

  imports({ start, end, specifiers, source, attributes = [] }) {
    const given = attributes.map(({ key, value }) => `${JSON.stringify(key.name ?? key.value)}: ${value.raw}`);
    const call = `await import(${source.raw}${given.length === 0 ? '' : `, {with: {${given.join(', ')}}}`})`;
    const all = specifiers.find(({ type }) => type === 'ImportNamespaceSpecifier');
    const others = specifiers
      .filter((specifier) => specifier !== all)
      .map(({ type, imported, local }) => {
        const name = type === 'ImportDefaultSpecifier' ? 'default' : (imported.name ?? imported.value);
        return `${JSON.stringify(name)}: ${local.name}`;
      });
    for (const { local } of specifiers) this.names.add(local.name);
    const name = JSON.stringify(source.value);
    const wanted = specifiers
      .filter(({ type }) => type === 'ImportSpecifier')
      .map(({ imported }) => imported.name ?? imported.value);
    const checked = `globalThis[Symbol.for('session.import')](${call}, ${name}, ${JSON.stringify(wanted)})`;
    const text =
      specifiers.length === 0
        ? `${call};`
        : [
            all === undefined ? [] : `${all.local.name} = ${call};`,
            others.length === 0 ? [] : `({${others.join(', ')}} = ${checked});`,
          ]
            .flat()
            .join(' ');
    this.replace({ start, end }, text);
  }

  /** A declaration becomes assignments, so that a cell can run again. */
  variables(node) {
    const { kind, declarations } = node;
    const name = this.code.slice(node.start).match(/^(?:await\s+)?\w+/)[0];
    // It is disposed of at the end of the cell.
    if (kind === 'using' || kind === 'await using') return;
    for (const { id } of declarations) for (const bound of namesIn(id)) this.names.add(bound);
    this.edits.push({ at: node.start, to: node.start + name.length, text: `;${' '.repeat(name.length - 2)}(` });
    declarations.forEach(({ id, init }) => {
      if (init !== null) return;
      // Only `var` keeps the value that it has.
      this.insert(id.end, kind === 'var' ? `=${this.code.slice(id.start, id.end)}` : '=undefined');
    });
    this.insert(declarations.at(-1).end, this.code[node.end - 1] === ';' ? ')' : ');');
  }

  /** A `var` in a block is one of the top, too. */
  inner(node) {
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      this.replace(node, "globalThis[Symbol.for('session.meta')]");
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var' || node.isTop) return;
    for (const { id } of node.declarations) for (const bound of namesIn(id)) this.names.add(bound);
    const { parent } = node;
    if (parent?.type === 'ForInStatement' || parent?.type === 'ForOfStatement') {
      if (parent.left === node) return this.blank(node.start, node.declarations[0].start);
    }
    const isInitial = parent?.type === 'ForStatement' && parent.init === node;
    const isInList = ['BlockStatement', 'SwitchCase'].includes(parent?.type);
    this.edits.push({ at: node.start, to: node.start + 3, text: isInList ? '; (' : '  (' });
    for (const { id, init } of node.declarations)
      if (init === null) this.insert(id.end, `=${this.code.slice(id.start, id.end)}`);
    this.insert(node.declarations.at(-1).end, isInitial || this.code[node.end - 1] === ';' ? ')' : ');');
  }
}

function parse(code) {
  const options = {
    ecmaVersion: 'latest',
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
    allowHashBang: true,
  };
  try {
    return acorn.parse(code, { ...options, sourceType: 'script' });
  } catch (error) {
    // A script has no such declarations at its top, but the function around the cell has.
    if (!error.message.startsWith('Using declaration')) throw error;
    return acorn.parse(code, { ...options, sourceType: 'module' });
  }
}

/** Finds positions of the script in the cell. All of them count from 1. */
class Positions {
  constructor(script, code, pieces) {
    Object.assign(this, { script, code, pieces });
  }

  /** Returns null for what is only in the script. */
  find(line, column) {
    const start = startOf(this.script, line);
    if (start === null) return null;
    const offset = start + column - 1;
    const piece = this.pieces.findLast(({ from }) => from <= offset) ?? this.pieces[0];
    const before = this.code.slice(0, piece.at + Math.max(0, offset - piece.from)).split('\n');
    return { line, column: before.length === line ? before.at(-1).length + 1 : 1 };
  }
}

/** The offset at which a line starts; null when there is none. */
function startOf(text, line) {
  let start = 0;
  for (let before = 1; before < line; before++) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return null;
  }
  return start;
}

function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesIn(property.value ?? property.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** Visits what belongs to the cell itself: nothing in functions, except for `import.meta`. */
function visit(tree, take) {
  const pending = [{ node: tree, parent: null, isInside: false }];
  while (pending.length > 0) {
    const { node, parent, isInside } = pending.pop();
    node.parent = parent;
    node.isTop = parent?.type === 'Program' || parent?.type === 'ExportNamedDeclaration';
    if (!isInside || node.type === 'MetaProperty') take(node);
    const isFunction = /Function|PropertyDefinition|StaticBlock/.test(node.type);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent') continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child?.type === 'string')
          pending.push({ node: child, parent: node, isInside: isInside || isFunction });
    }
  }
}

class Session {
  constructor(language) {
    this.count = 0;
    this.extension = language === 'typescript' ? 'ts' : 'js';
    this.compiler = language === 'typescript' ? new Compiler() : null;
    /** How positions in the files of the engine become those in the code of the user. */
    this.places = new Map();
    this.hasStdin = true;
    /** Rejects the run that is under way. */
    this.stop = null;
  }

  async run(source) {
    this.count += 1;
    const path = `${HOME}/cell-${this.count}.${this.extension}`;
    // Another name, because a position in the compiled code would mislead.
    const file = this.compiler === null ? path : path.replace(/\.ts$/, '.out.js');
    try {
      const script = this.scriptOf(path, file, source);
      const stopped = new Promise((_resolve, reject) => (this.stop = reject));
      const running = script.runInThisContext({ breakOnSigint: true });
      const outcome = await Promise.race([running, stopped]);
      // The end of an asynchronous program is the end of the cell.
      if (outcome !== undefined) show(await Promise.race([outcome.value, stopped]));
      return undefined;
    } catch (error) {
      return this.explain(error, path);
    } finally {
      this.stop = null;
    }
  }

  scriptOf(path, file, source) {
    const compiled = this.compiler?.compile(path, source);
    const code = compiled?.code ?? source;
    const cell = cellOf(file, code);
    const { source: whole, positions } = cell.script;
    this.keep(file, { positions, map: compiled?.map });
    const script = new vm.Script(whole, {
      filename: file,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    for (const name of cell.names) makeWritable(name);
    return script;
  }

  keep(file, place) {
    this.places.set(file, place);
    if (this.places.size > CELLS_KEPT) this.places.delete(this.places.keys().next().value);
  }

  /** Prints an error and describes it. */
  explain(error, path) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') error = interruption();
    const isError = error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
    let stack;
    try {
      stack = isError ? this.positioned(withoutInternals(String(error.stack))) : `Uncaught ${inspect(error)}`;
    } catch {
      stack = 'Uncaught';
    }
    let shown = stack;
    try {
      if (isError) shown += this.positioned(withoutInternals(furtherOf(error)));
    } catch {
      // An error may do what it wants when it is looked at.
    }
    if (error instanceof CellFault) shown = stack;
    process.stderr.write(`${shown}\n`);
    const place = new RegExp(`${path.replaceAll('.', '\\.')}:(\\d+)(?::(\\d+))?`).exec(stack);
    const line = error instanceof CellFault ? error.position.line : Number(place?.[1]);
    const column = error instanceof CellFault ? error.position.column : Number(place?.[2]) || caretColumn(stack);
    return {
      name: isError ? textOf(() => error.name, 100) : 'Error',
      message: isError ? textOf(() => error.message) : textOf(() => inspect(error, { depth: 1 })),
      stack: stack.slice(0, TEXT_LIMIT),
      ...(line > 0 ? { line } : {}),
      ...(line > 0 && column > 0 ? { column } : {}),
    };
  }

  positioned(stack) {
    return stack
      .split('\n')
      .flatMap((text) => {
        const [, file, line, column] = /(\/session\/cell-\d+(?:\.out)?\.js):(\d+):(\d+)/.exec(text) ?? [];
        if (!this.places.has(file)) return [text];
        const place = this.placeOf(file, Number(line), Number(column));
        return place === null ? [] : [text.replace(`${file}:${line}:${column}`, place)];
      })
      .join('\n');
  }

  placeOf(file, line, column) {
    const { positions, map } = this.places.get(file);
    const found = positions.find(line, column);
    if (found === null) return null;
    const source = map === undefined ? {} : new Module.SourceMap(map).findEntry(found.line - 1, found.column - 1);
    if (source.originalLine === undefined) return `${file.replace('.out.js', '.ts')}:${found.line}:${found.column}`;
    return `${file.replace('.out.js', '.ts')}:${source.originalLine + 1}:${source.originalColumn + 1}`;
  }
}

function cellOf(file, code) {
  try {
    return new Cell(code);
  } catch (error) {
    if (error.loc === undefined) throw error;
    const { line, column } = error.loc;
    const message = error.message.replace(/ \(\d+:\d+\)$/, '');
    const text = code.split('\n')[line - 1] ?? '';
    const name = file.replace('.out.js', '.ts');
    const caret = `${' '.repeat(Math.min(column, 200))}^`;
    const stack = `${name}:${line}\n${text.slice(0, 200)}\n${caret}\n\nSyntaxError: ${message}`;
    throw new CellFault({ message, stack, line, column: column + 1 });
  }
}

/** Some names of Node are properties that cannot be assigned. */
function makeWritable(name) {
  const property = Object.getOwnPropertyDescriptor(globalThis, name);
  if (property === undefined || property.writable === true || property.configurable !== true) return;
  const value = globalThis[name];
  Object.defineProperty(globalThis, name, {
    value,
    writable: true,
    enumerable: property.enumerable,
    configurable: true,
  });
}

function interruption() {
  const error = new Error('The run was interrupted.');
  error.stack = `Error: ${error.message}`;
  return error;
}

/** Shows what Node prints of an error beside its stack. */
function furtherOf(error) {
  const further = { ...error, ...(error.errors === undefined ? {} : { errors: error.errors }) };
  const text = Object.keys(further).length === 0 ? '' : ` ${inspect(further)}`;
  return error.cause === undefined ? text : `${text}\n[cause]: ${inspect(error.cause)}`;
}

const withoutInternals = (stack) =>
  stack
    .split('\n')
    .filter((line) => !INTERNAL_FRAME.test(line))
    .join('\n')
    .trimEnd();

function caretColumn(stack) {
  const caret = stack.split('\n', 3)[2] ?? '';
  return /^\s*\^/.test(caret) ? caret.indexOf('^') + 1 : 0;
}

function textOf(get, limit = TEXT_LIMIT) {
  try {
    return String(get()).slice(0, limit);
  } catch {
    return '';
  }
}

function show(value) {
  if (value === undefined) return;
  let text;
  try {
    text = inspect(value);
  } catch {
    text = Object.prototype.toString.call(value);
  }
  if (text.length > PLAIN_LIMIT) text = `${text.slice(0, PLAIN_LIMIT)}…`;
  control.send({ op: 'result', type: 'text/plain' }, Buffer.from(text));
}

/** The socket to the agent. */
class Control {
  constructor(onFrame) {
    this.onFrame = onFrame;
    this.received = Buffer.alloc(0);
    this.socket = new net.Socket({ fd: CONTROL, readable: true, writable: true });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('close', () => process.exit());
    this.socket.on('error', () => undefined);
  }

  send(header, body = Buffer.alloc(0)) {
    const head = Buffer.from(JSON.stringify(header));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(head.length, 0);
    lengths.writeUInt32BE(body.length, 4);
    this.socket.write(Buffer.concat([lengths, head, body]));
  }

  take(chunk) {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    while (this.received.length >= 8) {
      const start = 8 + this.received.readUInt32BE(0);
      const end = start + this.received.readUInt32BE(4);
      if (this.received.length < end) return;
      const header = JSON.parse(this.received.toString('utf8', 8, start));
      const body = this.received.subarray(start, end);
      this.received = this.received.subarray(end);
      this.onFrame(header, body);
    }
  }
}

/** The input of each run is a file of its own, because many programs open /dev/stdin. */
function replaceStdin(content) {
  try {
    fs.closeSync(0);
  } catch {
    // The code has closed it.
  }
  // open() returns the lowest free descriptor, which is 0.
  try {
    if (content.length === 0) fs.openSync('/dev/null', 'r');
    else fs.writeSync(fs.openSync('/tmp', fs.constants.O_RDWR | TEMPORARY_FILE, 0o600), content, 0, content.length, 0);
  } catch (error) {
    process.stderr.write(`The input could not be stored: ${error.message}\n`);
  }
  let stream;
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    enumerable: true,
    get: () => (stream ??= new fs.ReadStream(null, { fd: 0, autoClose: false })),
  });
}

function defineGlobals() {
  const require = Module.createRequire(`${HOME}/cell.js`);
  const module = new Module(`${HOME}/cell.js`);
  module.exports = {};
  const globals = { require, module, exports: module.exports, __filename: `${HOME}/cell.js`, __dirname: HOME };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  const url = `file://${HOME}/cell.js`;
  const meta = { dirname: HOME, filename: `${HOME}/cell.js`, url, resolve: (name) => resolveFrom(require, name) };
  const hidden = {
    [META]: meta,
    // As the engine says it for modules.
    [IMPORT]: (namespace, source, names) => {
      const missing = names.find((name) => !(name in namespace));
      if (missing !== undefined && language === 'javascript')
        throw new SyntaxError(`The requested module '${source}' does not provide an export named '${missing}'`);
      return namespace;
    },
  };
  for (const name of Object.getOwnPropertySymbols(hidden))
    Object.defineProperty(globalThis, name, { value: hidden[name], enumerable: false });
}

function resolveFrom(require, name) {
  const found = require.resolve(name);
  return Module.isBuiltin(found) ? found : `file://${found}`;
}

const session = new Session(language);

const control = new Control(({ id, stdin }, body) => {
  const size = body.length - stdin;
  if (stdin > 0 || session.hasStdin) replaceStdin(body.subarray(size));
  session.hasStdin = stdin > 0;
  void session.run(body.toString('utf8', 0, size)).then((error) => {
    control.send({ op: 'done', id, ...(error === undefined ? {} : { error }) });
  });
});

process.on('SIGINT', () => {
  session.stop?.(interruption());
});
// Such an error belongs to the run that is under way. It does not end the session.
process.on('uncaughtException', (error) => {
  if (session.stop === null) process.stderr.write(`${inspect(error)}\n`);
  else session.stop(error);
});
process.argv = [process.argv[0], `${HOME}/cell.js`];
process.execArgv = [];
defineGlobals();
control.send({ op: 'ready', version: process.versions.node });
